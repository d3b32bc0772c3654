import Events

/// A log that is locked to forget somebody.
///
/// ```
/// let log = try ForgettableLog(path: "my.log")
/// let survey = try log.survey(ForgettingRequest(people: ["ann"]))
/// let plan = try log.plan(survey)
/// plan.events                    // how many events change
/// try log.rewrite(by: plan)      // the folder is the old log until this has returned
/// ```
public final class ForgettableLog: Sendable {
  public let path: String
  let files: FileSystem
  let environment: RuntimeEnvironment
  /// The shared log that this one is a clone of.
  let remote: (any RemoteLog)?
  private let lock: LogLock
  public let view: LogView
  /// The bytes after the last whole commit, if there were any, and where they are kept.
  public let recovery: Recovery?

  /// Takes the lock, finishes a rewriting that was interrupted, and repairs the log's tail.
  /// - Parameter remote: of a clone, the shared log; the clone should have been pulled just now.
  /// - Throws: `.locked` with the name of the process that writes to the log; `.noSuchLog`,
  ///   `.notALog`, `.damaged`, `.file`; `RemoteFault.isClone` for a clone without its remote.
  public init(
    path: String, remote: (any RemoteLog)? = nil, files: FileSystem = .posix,
    environment: RuntimeEnvironment = .system
  ) throws(LogError) {
    _ = try LogView(path: path, files: files)  // refuses what is not a log before locking
    if remote == nil, let address = try Clone.address(of: path, files: files) {
      throw .remote(.isClone(path: path, of: address))
    }
    (self.path, self.files, self.environment) = (path, files, environment)
    self.remote = remote
    lock = try LogLock(path, files)
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

  /// Finishes or undoes a rewriting that was interrupted, if there is one and nobody is at it.
  ///
  /// Opening a log for writing does so too.
  /// - Throws: what stands in the way; readers see a whole log all the same.
  public static func settle(_ path: String, files: FileSystem = .posix) throws(LogError) {
    guard let listing = try? files.list(path), PendingRewriting.isPending(listing) else { return }
    let lock = try LogLock(path, files)
    defer { lock.release() }
    try PendingRewriting.settle(path, files)
  }
}

/// What a log says about the people to forget.
public struct ForgettingSurvey: Sendable {
  var eraser: EventEraser
  /// The ids in the observed events.
  package var names: Names { eraser.names }

  public struct Person: Equatable, Sendable {
    public var id: String
    public var pseudonym: String
    /// The number of events by or about the person; 0 for somebody who is not in the log.
    public var events = 0
    /// Whether the account is open, and is to be deleted first.
    public var isOpen = false
    /// The paths of the photos in storage, including replaced ones.
    public var photos: [String] = []
    /// The ids of the person's workouts, which may have photos.
    public var workouts: [String] = []
  }

  public var people: [Person] { eraser.people }

  /// The requested items that no event is about.
  public var unknownItems: [ForgettingRequest.Item] {
    eraser.request.items.filter { item in
      eraser.names.find(item.id, item.kind).map { !eraser.metItems.contains($0) } ?? true
    }
  }
}

/// What a rewriting of a log will do.
public struct ForgettingPlan: Sendable {
  var eraser: EventEraser
  /// The positions of lines that change or may change, ascending.
  var touched: [UInt64] = []
  /// Events to be added first.
  var added: [RecordedEvent] = []
  /// Events that name others, whose ids may yet change.
  private var referring: [(seq: UInt64, id: EventID)] = []

  /// The position of the first line that changes; nil if none does.
  public internal(set) var first: UInt64?
  /// The number of events whose content changes.
  public internal(set) var events = 0

  init(eraser: EventEraser, added: [RecordedEvent]) { (self.eraser, self.added) = (eraser, added) }

  /// Whether the reason for the ledger names one of the forgotten.
  public var reasonNames: Bool { eraser.allWords.replaced(eraser.request.reason) != nil }
  /// Other people's texts that name one of the forgotten.
  public var mentions: [Mention] { eraser.mentions }
  /// The numbers of events of unknown types in which only ids are replaced, by type.
  public var untyped: [String: Int] { eraser.untyped }
}

/// A text of somebody else that says the handle or the id of a person who is forgotten.
public struct Mention: Equatable, Sendable {
  public var seq: UInt64
  public var type: String
  /// The member with the text, such as `text`.
  public var member: String
}

extension ForgettableLog {
  /// A request for all people and items with a mark in a ledger.
  /// - Parameter hasMark: receives each subject in the log (`ForgettingRequest.subjects`).
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

  /// Finds out whose events there are.
  /// - Parameters:
  ///   - types: of events that `observe` is called with, in order.
  ///   - progress: gets the bytes read.
  /// - Throws: `.damaged`: every sum is checked. `.invalidEvent` for what can be no id.
  /// - Complexity: O(bytes), on `jobs` threads, some nanoseconds a byte where names are long.
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
    // Only the user of these events counts, which the fast reader finds.
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

  /// Finds out which events change.
  /// - Parameter added: events that are appended first, such as the deletions of accounts.
  /// - Throws: `.unknownType` for an event that names somebody in a way this code does not know.
  /// - Complexity: as `survey`; memory 24 bytes an event that names another by its id, and 100 for
  ///   each that changes.
  public func plan(
    _ survey: ForgettingSurvey, adding added: [RecordedEvent] = [], jobs: Int = 2,
    progress: (Int) -> Void = { _ in }
  ) throws(LogError) -> ForgettingPlan {
    var plan = ForgettingPlan(eraser: survey.eraser, added: added)
    // Events without their items' makers; events that name others; texts of several people.
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
  /// Writes the log anew from the first line that changes, and puts it in the place of the old one.
  ///
  /// The folder is the old log until the new one is whole and synced, and the new one from then on,
  /// even if a call, the process or the power fails. The next writer finishes what is left to do.
  /// The shared log of a clone is rewritten first.
  /// - Parameter progress: gets the bytes written.
  /// - Returns: what the ledger says of it; nil if nothing was to be done.
  /// - Throws: `.file`, `.damaged`; `.conflict` if others have appended to the shared log since it
  ///   was pulled; `RemoteFault`.
  /// - Complexity: O(bytes from the first line that changes); memory 16 MiB and one line.
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

  /// Rewrites the shared log as the folder is about to be.
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

  /// Bookmarks keep their positions, and get the new sums and, where they name somebody, new names.
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
    // After an import, an event may name one that comes after it.
    case nil: referring += eraser.references.map { (seq, $0) }
    }
  }

  /// Notes an event that names another.
  /// - Returns: false if the other one is known to change.
  fileprivate mutating func notes(_ seq: UInt64, _ id: EventID) -> Bool {
    if eraser.ids[id] != nil { return false }
    referring.append((seq, id))
    return true
  }

  /// Adds the lines that name an event which changes after them.
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
  /// Reads a line in the encoder's layout without its texts.
  mutating func known(_ bytes: UnsafeBufferPointer<UInt8>) -> KnownEvent? {
    LineParser.known(bytes, &names)
  }

  /// Whether a person made the item of a stream, or its texts are to go.
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

  /// - Parameter seq: of the line, where it is known.
  mutating func parsed(
    _ bytes: UnsafeBufferPointer<UInt8>, _ view: LogView, seq: UInt64 = 0
  ) throws(LogError) -> Line {
    do throws(LineFault) {
      return try parse(bytes)
    } catch {
      // Its sum is right, so a writer wrote it like this; `verify` names the line.
      throw .damaged(Damage(file: view.path, line: 0, offset: 0, seq: seq, fault: error))
    }
  }

  /// An event that is not in the log yet.
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
