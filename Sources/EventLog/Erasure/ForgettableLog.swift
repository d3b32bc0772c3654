import Events

/// A log that is locked so that people and items can be erased from it.
///
/// ```
/// let log = try ForgettableLog(path: "my.log")
/// let survey = try log.survey(ForgettingRequest(people: ["ann"]))
/// let plan = try log.plan(survey)
/// plan.events                    // the number of events that change
/// try log.rewrite(by: plan)      // until this returns, readers see the old log
/// ```
public final class ForgettableLog: Sendable {
  /// The log's folder.
  public let path: String
  let files: FileSystem
  let environment: RuntimeEnvironment
  /// The shared log, if this log is a clone.
  let remote: (any RemoteLog)?
  private let lock: WriterLock
  /// The log before the erasure, after its tail was repaired.
  public let view: LogView
  /// The repair of the log's tail when it was opened; nil if no repair was needed.
  public let recovery: Recovery?

  /// Locks the log, finishes an interrupted rewriting, and repairs the log's tail.
  /// - Parameter remote: the shared log, if the log is a clone. Pull its events just before.
  /// - Throws: `.locked` with the name of the process that writes to the log; `.noSuchLog`,
  ///   `.notALog`, `.damaged`, `.file`; `RemoteFault.isClone` if the log is a clone and `remote` is
  ///   nil.
  public init(
    path: String, remote: (any RemoteLog)? = nil, files: FileSystem = .posix,
    environment: RuntimeEnvironment = .system
  ) throws(LogError) {
    _ = try LogView(path: path, files: files)  // refuses other folders before locking
    if remote == nil, let address = try Clone.address(of: path, files: files) {
      throw .remote(.isClone(path: path, of: address))
    }
    (self.path, self.files, self.environment) = (path, files, environment)
    self.remote = remote
    lock = try WriterLock(path, files)
    do throws(LogError) {
      try PendingRewriting.settle(path, files)
      recovery = try Recovery(of: try LogView(path: path, files: files), files)
      view = try LogView(path: path, files: files)
    } catch {
      lock.release()
      throw error
    }
  }

  deinit { lock.release() }

  /// Finishes or undoes an interrupted rewriting, like opening the log for writing.
  /// - Throws: `.locked` if another process writes to the log; `.file`. Even after an error,
  ///   readers see a complete log.
  public static func settle(_ path: String, files: FileSystem = .posix) throws(LogError) {
    guard let listing = try? files.list(path), PendingRewriting.isPending(listing) else { return }
    let lock = try WriterLock(path, files)
    defer { lock.release() }
    try PendingRewriting.settle(path, files)
  }
}

/// The result of a survey: the events and ids that belong to the people and items to erase.
public struct ForgettingSurvey: Sendable {
  var eraser: EventEraser
  /// The table of the ids in the events that the survey decoded.
  package var names: Names { eraser.names }

  /// A person to erase.
  public struct Person: Equatable, Sendable {
    /// The person's id.
    public var id: String
    /// The new id that replaces the person's id.
    public var pseudonym: String
    /// The number of events by or about the person; 0 if the log has none.
    public var events = 0
    /// Whether the person's account is open. An open account must be deleted before the erasure.
    public var isOpen = false
    /// The paths of the person's profile photos in photo storage, including replaced ones.
    public var photos: [String] = []
    /// The ids of the person's workouts, which may have photos.
    public var workouts: [String] = []
  }

  /// The people to erase, in the order of the request.
  public var people: [Person] { eraser.people }

  /// The requested items that do not occur in the log.
  public var unknownItems: [ForgettingRequest.Item] {
    eraser.request.items.filter { item in
      eraser.names.find(item.id, item.kind).map { !eraser.metItems.contains($0) } ?? true
    }
  }
}

/// The changes that a rewriting will make to a log.
public struct ForgettingPlan: Sendable {
  var eraser: EventEraser
  /// The positions of lines that change or may change, ascending.
  var touched: [UInt64] = []
  /// Events that the rewriting adds to the log, such as deletions of accounts.
  var added: [RecordedEvent] = []
  /// Unchanged events that refer to other events: the position, and the other event's id. That id
  /// may still change.
  private var referring: [(seq: UInt64, id: EventID)] = []

  /// The position of the first line that the rewriting changes; nil if it changes none.
  public internal(set) var first: UInt64?
  /// The number of events whose contents the rewriting changes.
  public internal(set) var events = 0

  init(eraser: EventEraser, added: [RecordedEvent]) { (self.eraser, self.added) = (eraser, added) }

  /// Whether the request's reason, which the ledger will contain, names one of the erased people.
  public var reasonNames: Bool { eraser.allWords.replaced(eraser.request.reason) != nil }
  /// The ids and handles of the erased people, and the ids of the erased items.
  public var names: [String] {
    eraser.people.map(\.id) + Array(eraser.handles.keys) + eraser.request.items.map(\.id)
  }
  /// Other people's texts that name one of the erased people.
  public var mentions: [Mention] { eraser.mentions }
  /// For each unknown type, the number of its events in which only ids are replaced.
  public var untyped: [String: Int] { eraser.untyped }
}

/// Another person's text that contains an erased person's handle or id.
public struct Mention: Equatable, Sendable {
  /// The position of the event with the text.
  public var seq: UInt64
  /// The wire name of that event's type.
  public var type: String
  /// The JSON field that holds the text, such as `text`.
  public var member: String
}

extension ForgettableLog {
  /// Returns a request for all people and items of the log that an earlier erasure erased. A ledger
  /// of rewritings stores a keyed hash (a *mark*) of each person and item.
  /// - Parameter hasMark: receives each id of the log as a text (`ForgettingRequest.subjects`), and
  ///   returns whether the ledger has the text's mark.
  /// - Throws: `.damaged`, `.file`.
  /// - Complexity: decodes every event, and calls `hasMark` for every id.
  public func request(where hasMark: (String) -> Bool) throws(LogError) -> ForgettingRequest {
    var names = Names()
    try view.forEachTypedEvent(&names, unknown: .skip) { _, _, _ in }
    var request = ForgettingRequest()
    for kind in IDKind.allCases {
      for id in names.all(of: kind) {
        if kind == .user, hasMark(ForgettingRequest.subject(id)) { request.people.append(id) }
        let item = ForgettingRequest.Item(kind, id)
        if hasMark(item.description) { request.items.append(item) }
      }
    }
    return request
  }

  /// Reads the log, and finds the events and ids that belong to the people and items of a request.
  /// - Parameters:
  ///   - types: the types of the events for which `observe` is called, in log order.
  ///   - progress: receives the number of bytes read so far.
  /// - Throws: `.damaged` at a wrong checksum, because every line is checked; `.invalidEvent` if a
  ///   person's id is not valid.
  /// - Complexity: O(bytes), on `jobs` threads; a few nanoseconds for each byte if names are long.
  public func survey(
    _ request: ForgettingRequest, jobs: Int = 2, observing types: EventTypes = [],
    _ observe: (borrowing Event, Moment) -> Void = { _, _ in }, progress: (Int) -> Void = { _ in }
  ) throws(LogError) -> ForgettingSurvey {
    var eraser: EventEraser
    do throws(InvalidID) {
      eraser = try EventEraser(request, random: environment.random)
    } catch {
      throw .invalidEvent(LineFault(.wrongType(expected: "the id of a user"), path: "user"))
    }
    let filter = ParallelLineFilter(
      view: view, jobs: max(1, jobs), checksSums: true, types: types,
      search: NameSearch(eraser.searched))
    // Of these events, only the user matters. The fast reader finds it.
    let simple: EventTypes = [.profileCreated, .accountDeleted]
    try filter.run(progress) { (found) throws(LogError) in
      if let type = found.line?.type, simple.contains(type), let known = eraser.known(found.bytes) {
        return observe(known.event, known.moment)
      }
      let parsed = try eraser.parsed(found.bytes, view)
      try eraser.learn(parsed)
      guard let event = parsed.event, types.contains(event.type) else { return }
      observe(event, Moment(seq: parsed.recorded.seq, time: parsed.recorded.time))
    }
    eraser.learned()
    return ForgettingSurvey(eraser: eraser)
  }

  /// Reads the log again, and finds the events that the erasure changes.
  /// - Parameter added: events that the rewriting adds to the log, such as deletions of accounts.
  /// - Throws: `.unknownType` if an event of an unknown type names one of the erased people.
  /// - Complexity: as `survey`. Memory: 24 bytes for each event that refers to another event by its
  ///   id, and 100 bytes for each event that changes.
  public func plan(
    _ survey: ForgettingSurvey, adding added: [RecordedEvent] = [], jobs: Int = 2,
    progress: (Int) -> Void = { _ in }
  ) throws(LogError) -> ForgettingPlan {
    var plan = ForgettingPlan(eraser: survey.eraser, added: added)
    // Events that do not name their item's author, events that refer to others, and texts by
    // several people.
    let items: EventTypes = [.workoutEdited, .workoutDetailAttached, .commentEdited]
    let readers: EventTypes = [.conversationRead, .notificationsRead]
    let filter = ParallelLineFilter(
      view: view, jobs: max(1, jobs), checksSums: false,
      types: items.union(readers).union([.groupCreated, .groupEdited]),
      search: NameSearch(
        plan.eraser.searched + plan.eraser.handles.keys + ["\"cause\""]))
    try filter.run(progress) { (found) throws(LogError) in
      if let line = found.line, let type = line.type {
        if items.contains(type), let stream = found.stream, !plan.eraser.concerns(stream) { return }
        if readers.contains(type), let id = found.upTo, plan.notes(line.moment.seq, id) { return }
      }
      try plan.take(try plan.eraser.parsed(found.bytes, view))
    }
    for event in added { try plan.take(try plan.eraser.parsed(event)) }
    plan.settle()
    return plan
  }
}

extension ForgettableLog {
  /// Writes new lines from the first changed one on, and replaces the old log with them.
  ///
  /// The folder holds the old log until the new one is complete and synced. Afterwards it holds the
  /// new log, even if a call, the process or the power fails. The next writer finishes the
  /// remaining work. If the log is a clone, its shared log is rewritten first.
  /// - Parameter progress: receives the number of bytes written so far.
  /// - Returns: the ledger's new entry; nil if no line changes.
  /// - Throws: `.file`, `.damaged`; `.conflict` if other clones appended to the shared log since
  ///   the last pull; `RemoteFault`.
  /// - Complexity: O(bytes from the first changed line on); memory 16 MiB and one line.
  @discardableResult
  public func rewrite(
    by plan: ForgettingPlan, progress: (Int) -> Void = { _ in }
  ) async throws(LogError) -> Rewritings.Entry? {
    guard plan.first != nil else { return nil }
    var entry: Rewritings.Entry?
    try await PendingRewriting.perform(path, files) { (pending) async throws(LogError) in
      var writer = try ErasedLogWriter(view, plan, files)
      try writer.write(&pending, progress)
      let ledger = try ledger(plan, writer)
      entry = ledger.entries.last
      try pending.write(ledger.text, Rewritings.fileName)
      try bookmarks(plan, writer, &pending)
      if let remote {
        let end = try view.head().seq + UInt64(plan.added.count)
        try await share(ledger, RemoteHead(seq: end, sum: writer.sum), pending.names, remote)
      }
    }
    return entry
  }

  /// Replaces the shared log's lines with the folder's new lines.
  private func share(
    _ ledger: Rewritings, _ after: RemoteHead, _ names: [String], _ remote: any RemoteLog
  ) async throws(LogError) {
    let new = try LogView(path: path, files: files, replacing: names)
    let head = try view.head()
    let before = RemoteHead(
      seq: head.seq, sum: head.sum, rewritings: ledger.entries.count - 1)
    let rewriting = RemoteRewriting(before: before, ledger: ledger, after: after) {
      (position, limit) throws(LogError) in try new.lines(after: position, limit: limit)
    }
    if case .moved(let moved) = try await remote.rewrite(rewriting) {
      throw .conflict(Conflict(stream: nil, expected: .exact(head.seq), actual: moved.seq))
    }
  }

  private func ledger(
    _ plan: ForgettingPlan, _ writer: borrowing ErasedLogWriter
  ) throws(LogError) -> Rewritings {
    let head = try view.head()
    let request = plan.eraser.request
    let entry = Rewritings.Entry(
      time: environment.now(), first: plan.first ?? 0, head: head.seq, before: head.sum,
      after: writer.sumAtHead, reason: request.reason, changesMentions: request.changesMentions,
      marks: request.marks)
    var all = try Rewritings(folder: path, files: files)
    all.entries.append(entry)
    return all
  }

  /// Writes the bookmarks with their events' new checksums. Renames bookmarks whose names contain
  /// an erased name.
  private func bookmarks(
    _ plan: ForgettingPlan, _ writer: borrowing ErasedLogWriter, _ pending: inout PendingRewriting
  ) throws(LogError) {
    guard let bookmarks = Bookmarks(view) else { return }
    var all = try bookmarks.all()
    if all.isEmpty { return }
    for index in all.indices {
      if let sum = writer.sums[all[index].seq] { all[index].sum = sum }
      guard var name = plan.eraser.allWords.replaced(all[index].name) else { continue }
      while all.contains(where: { $0.name == name }) { name += "-" }
      all[index].name = name
    }
    try pending.write(Bookmarks.text(all), Bookmarks.fileName)
  }
}

extension ForgettingPlan {
  fileprivate mutating func take(_ line: EventEraser.Line) throws(LogError) {
    let seq = line.recorded.seq
    switch try eraser.rewritten(line) {
    case .contents:
      events += 1
      first = first ?? seq
      touched.append(seq)
    case .references: touched.append(seq)
    // After an import, an event may refer to a later one.
    case nil: referring += eraser.references.map { (seq, $0) }
    }
  }

  /// Records that an event refers to another event.
  /// - Returns: false, without recording it, if that other event is already known to change.
  fileprivate mutating func notes(_ seq: UInt64, _ id: EventID) -> Bool {
    if eraser.ids[id] != nil { return false }
    referring.append((seq, id))
    return true
  }

  /// Adds, to the changed lines, each line that refers to a later event that changes.
  fileprivate mutating func settle() {
    let ids = eraser.ids
    let late = referring.filter { ids[$0.id] != nil }.map(\.seq)
    referring = []
    if late.isEmpty { return }
    touched = Array(Set(touched).union(late)).sorted()
    first = touched.first
  }
}

extension EventEraser {
  /// Decodes a line without its texts; returns nil if the line is not in the encoder's layout.
  mutating func known(_ bytes: UnsafeBufferPointer<UInt8>) -> KnownEvent? {
    LineParser.known(bytes, &names)
  }

  /// For a workout's or a comment's stream: returns whether an erased person created the item, or
  /// whether the item's texts are to be erased. Returns true for every other stream.
  func concerns(_ stream: UnsafeBufferPointer<UInt8>) -> Bool {
    let parts = stream.split(separator: UInt8(ascii: "/"), maxSplits: 1)
    guard parts.count == 2 else { return true }
    let kind: IDKind
    switch String(decoding: parts[0], as: UTF8.self) {
    case "workout": kind = .workout
    case "comment": kind = .comment
    default: return true
    }
    guard let id = names.find(String(decoding: parts[1], as: UTF8.self), kind) else { return false }
    return made.contains(id) || blanked.contains(id)
  }

  /// Parses a line.
  /// - Parameter seq: the line's position for the error; 0 if it is not known.
  mutating func parsed(
    _ bytes: UnsafeBufferPointer<UInt8>, _ view: LogView, seq: UInt64 = 0
  ) throws(LogError) -> Line {
    do throws(LineFault) {
      return try parse(bytes)
    } catch {
      // The line's checksum is correct, so a writer wrote the line like this. `verify` names the
      // line.
      throw .damaged(Damage(file: view.path, line: 0, offset: 0, seq: seq, fault: error))
    }
  }

  mutating func parsed(_ event: RecordedEvent) throws(LogError) -> Line {
    do throws(LineFault) {
      return try event.line(after: 0).withUnsafeBufferPointer { (bytes) throws(LineFault) in
        try parse(bytes)
      }
    } catch {
      throw .invalidEvent(error)
    }
  }
}
