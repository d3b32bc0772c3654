import Events

/// A log that is taken, by its lock, to forget somebody: nobody else can write meanwhile.
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
  /// The log as it was found.
  public let view: LogView
  /// What was found after the last whole commit, and done about it.
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

/// What a log says of the people it is to forget.
public struct ForgettingSurvey: Sendable {
  var rewriter: Rewriter
  /// The table of the ids in the events that were observed.
  package var names: Names { rewriter.names }

  /// A person who is to be forgotten.
  public struct Person: Equatable, Sendable {
    public var id: String
    public var pseudonym: String
    /// How many events are the person's or name the person; 0 for somebody who is not in the log.
    public var events: Int
    /// Whether the account is open, and is to be deleted first.
    public var isOpen: Bool
    /// Where the photos are in storage, those replaced since among them.
    public var photos: [String]
    /// The ids of the person's workouts, which may have photos.
    public var workouts: [String]
  }

  public var people: [Person] {
    rewriter.people.map {
      Person(
        id: $0.name, pseudonym: $0.pseudonym, events: $0.events, isOpen: $0.isOpen,
        photos: $0.photos, workouts: $0.workouts)
    }
  }

  /// The items asked for that no event is about.
  public var unknownItems: [ForgettingRequest.Item] {
    rewriter.request.items.filter { item in
      rewriter.names.find(item.id, item.kind).map { !rewriter.metItems.contains($0) } ?? true
    }
  }
}

/// What a rewriting of a log will do.
public struct ForgettingPlan: Sendable {
  var rewriter: Rewriter
  /// The positions of lines that change or may, ascending.
  var touched: [UInt64] = []
  /// Events to be added first.
  var added: [RecordedEvent] = []
  /// Events that name others by ids which do not change, as far as is known.
  private var referring: [(seq: UInt64, id: EventID)] = []

  /// The first line that becomes another; nil if none does.
  public internal(set) var first: UInt64?
  /// How many events come to say something else.
  public internal(set) var events = 0
  init(rewriter: Rewriter, added: [RecordedEvent]) {
    (self.rewriter, self.added) = (rewriter, added)
  }

  /// Whether the reason for the ledger names one of the forgotten.
  public var reasonNames: Bool { rewriter.allWords.replaced(rewriter.request.reason) != nil }
  /// Other people's texts that name one of the forgotten.
  public var mentions: [Mention] { rewriter.mentions }
  /// Events of apps of which only the ids are replaced, since their types are not known, by type.
  public var untyped: [String: Int] { rewriter.untyped }
}

extension ForgettableLog {
  /// Who and what in the log somebody has a mark of.
  /// - Parameter hasMark: gets each subject that the log knows (`ForgettingRequest.subjects`).
  /// - Throws: `.damaged`, `.file`.
  /// - Complexity: decodes every event, and asks for every id.
  public func request(
    where hasMark: (String) -> Bool
  ) throws(LogError) -> ForgettingRequest {
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
    var rewriter: Rewriter
    do throws(InvalidID) {
      rewriter = try Rewriter(request, random: environment.random)
    } catch {
      throw .invalidEvent(LineFault(.wrongType(expected: "the id of a user"), path: "user"))
    }
    let sieve = ParallelLineFilter(
      view: view, jobs: max(1, jobs), checksSums: true, types: types,
      search: NameSearch(rewriter.searched))
    // Of these only who it was counts, which the fast reader tells.
    let simple: EventTypes = [.profileCreated, .accountDeleted]
    try sieve.run(progress) { (found) throws(LogError) in
      if let type = found.line?.type, simple.contains(type),
        let known = rewriter.known(found.bytes)
      {
        return observe(known.event, known.moment)
      }
      let parsed = try rewriter.parsed(found.bytes, view)
      try rewriter.learn(parsed)
      guard let event = parsed.event, types.contains(event.type) else { return }
      observe(event, Moment(seq: parsed.recorded.seq, time: parsed.recorded.time))
    }
    rewriter.learned()
    return ForgettingSurvey(rewriter: rewriter)
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
    var plan = ForgettingPlan(rewriter: survey.rewriter, added: added)
    // Items whose makers the line does not say; texts that several people write; what names other
    // events.
    let items: EventTypes = [.workoutEdited, .workoutDetailAttached, .commentEdited]
    let readers: EventTypes = [.conversationRead, .notificationsRead]
    let sieve = ParallelLineFilter(
      view: view, jobs: max(1, jobs), checksSums: false,
      types: items.union(readers).union([.groupCreated, .groupEdited]),
      search: NameSearch(
        plan.rewriter.searched + plan.rewriter.handles.keys + ["\"cause\""]))
    try sieve.run(progress) { (found) throws(LogError) in
      if let line = found.line, let type = line.type {
        if items.contains(type), let stream = found.stream, !plan.rewriter.concerns(stream) {
          return
        }
        if readers.contains(type), let id = found.upTo, plan.notes(line.moment.seq, id) { return }
      }
      try plan.take(try plan.rewriter.parsed(found.bytes, view))
    }
    for event in added { try plan.take(try plan.rewriter.parsed(event)) }
    plan.settle()
    return plan
  }
}

extension ForgettingPlan {
  fileprivate mutating func take(_ line: Rewriter.Line) throws(LogError) {
    let seq = line.recorded.seq
    switch try rewriter.rewritten(line) {
    case .contents:
      events += 1
      first = first ?? seq
      touched.append(seq)
    case .references: touched.append(seq)
    // It may name an event that changes after it, if an import brought it.
    case nil: referring += line.references.map { (seq, $0) }
    }
  }

  /// Takes note of an event that names another, of which nothing else can change.
  /// - Returns: false if that one is known to change.
  fileprivate mutating func notes(_ seq: UInt64, _ id: EventID) -> Bool {
    if rewriter.ids[id] != nil { return false }
    referring.append((seq, id))
    return true
  }

  /// Adds the lines that name an event which changes after them.
  fileprivate mutating func settle() {
    let ids = rewriter.ids
    let late = referring.filter { ids[$0.id] != nil }.map(\.seq)
    referring = []
    if late.isEmpty { return }
    touched = Array(Set(touched).union(late)).sorted()
    first = touched.first
  }
}

extension Rewriter {
  /// An event in the encoder's layout whose person alone counts.
  mutating func known(_ bytes: UnsafeBufferPointer<UInt8>) -> KnownEvent? {
    LineParser.known(bytes, &names)
  }

  /// Whether an item, by its stream, is one that a person made, or whose texts are to go.
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
      // Its sum is right, so it was written like this; `verify` names the line.
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
