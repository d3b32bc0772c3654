/// A projection that `eventlog project` prints.
struct ProjectionCommand: Sendable {
  var name: String
  var summary: String
  /// The projection's own options, in addition to the common ones.
  var options: [String] = []
  var run: @Sendable (ProjectionQuestion) async throws -> ProjectionAnswer

  static let all: [ProjectionCommand] = [
    .followers, .following, .profiles, .relationships, .friends, .blocks, .search, .workouts, .feed,
    .chups, .reactions, .comments, .leaderboard, .groups, .conversations,
    .notifications, .reports, .sports, .locations,
  ]

  static var list: String {
    all.map { projection in
      let space = String(repeating: " ", count: 15 - projection.name.count)
      return "  \(projection.name)\(space)\(projection.summary)"
    }.joined(separator: "\n")
  }
}

/// A projection's rows, their revision, and the number of skipped events of each unknown type.
struct ProjectionAnswer: Sendable {
  var rows: Rows
  var head: LogHead
  var skipped: [UnknownType: Int]

  /// Prints the rows and how many events were skipped.
  func write(_ format: Format) {
    if format == .table, let title = rows.title {
      Output.line(styled(sanitized(title), .bold) + "\n")
    }
    rows.write(format, footer: asOf(head))
    noteSkipped(skipped)
  }
}

/// A query of a projection.
struct ProjectionQuestion: Sendable {
  let invocation: Invocation
  let view: LogView
  let revision: UInt64
  /// The maximum number of rows; nil means all rows.
  let limit: Int?
  /// The checkpoints from which this query's replays have started.
  private let restored = RestoredStates()
  private var start = ReplayStart.checkpoint

  init(invocation: Invocation, view: LogView, revision: UInt64, limit: Int?) {
    (self.invocation, self.view, self.revision) = (invocation, view, revision)
    self.limit = limit
  }

  /// The maximum number of rows.
  var most: Int { limit ?? .max }
  var user: String? { invocation.value("--user") }

  /// Returns the user in `--user`, or throws a usage failure.
  func requiredUser(_ name: String) throws(Failure) -> String {
    guard let user else { throw .usage("project \(name) shows one user: add --user U") }
    return user
  }

  /// Answers a query; `rows` reads the answer's rows from the projected state.
  ///
  /// A query about some users as of a past revision reads only the events on which the answer
  /// depends. Any other query replays the projection.
  /// - Parameter ofAll: whether the query is about all users, so that only a replay answers it.
  func ask<P: PartOfViews>(
    _ projection: P, ofAll: Bool = false,
    _ rows: @escaping @Sendable (ProjectedState) throws -> Rows
  ) async throws -> ProjectionAnswer {
    let isPast = invocation.value("--as-of") != nil && !invocation.flag("--cold")
    if !ofAll, isPast, start == .checkpoint,
      let answer = try await answerFromRelevantEvents(projection, rows)
    {
      return try answer.get()
    }
    let replay = try await replay(projection)
    var views = Views()
    replay.projection.give(to: &views)
    let state = ProjectedState(
      views: Reading(views), names: replay.names, head: replay.head, skipped: replay.skipped)
    return ProjectionAnswer(rows: try rows(state), head: state.head, skipped: state.skipped)
  }

  /// Answers a query from the ranking of all users by followers. A core does not maintain this
  /// projection, so it is always replayed.
  func rank(_ rows: (FollowerRanking, Names) -> Rows) async throws -> ProjectionAnswer {
    let replay = try await replay(FollowerRanking())
    return ProjectionAnswer(
      rows: rows(replay.projection, replay.names), head: replay.head, skipped: replay.skipped)
  }

  private func replay<P: Projection>(_ projection: P) async throws -> Replay<P> {
    try await replayed(
      projection, view, until: revision, invocation, label: "replaying", from: start,
      restored: restored)
  }

  /// Answers a query from only the events on which the answer depends. Returns nil if a replay of
  /// the projection from its last checkpoint is faster.
  private func answerFromRelevantEvents<P: Projection>(
    _ projection: P, _ rows: @escaping @Sendable (ProjectedState) throws -> Rows
  ) async throws -> Result<ProjectionAnswer, any Error>? {
    let bar = Progress(label: "index", total: view.size, unit: "bytes")
    defer { bar.finish() }
    let options = try invocation.replayOptions(bar)
    var replay = Replay(projection)
    _ = replay.restore(view, until: revision, lazily: true, unknown: options.unknown)
    let past = RelevantPast(view, until: revision, startingAt: replay.head.seq, options: options)
    return await past?.ask { [head = past?.head ?? LogHead()] reading, names in
      Result {
        let rows = try rows(ProjectedState(views: reading, names: names, head: head))
        return ProjectionAnswer(rows: rows, head: head, skipped: [:])
      }
    }
  }

  /// Answers a query. If the answer used a damaged checkpoint, answers again without checkpoints.
  func answer(of projection: ProjectionCommand) async throws -> ProjectionAnswer {
    let answer: Result<ProjectionAnswer, any Error>
    do { answer = .success(try await projection.run(self)) } catch { answer = .failure(error) }
    if let answer = restored.checked(answer) { return try answer.get() }
    var again = self
    again.start = .nothing
    return try await projection.run(again)
  }

  /// Returns the user with a name.
  /// - Throws: exit 1 if the user has no open account.
  func user(_ name: String, _ state: ProjectedState) throws(Failure) -> UserID {
    guard let user = state.find(user: name), state.views.isOpen(user) else {
      throw missing("user", name)
    }
    return user
  }

  func missing(_ noun: String, _ name: String) -> Failure {
    Failure(.refused, "no \(noun) \(quoted(name)) as of revision \(revision)")
  }
}

/// One of the standard projections, or several of them together. `Views` contains all of them.
protocol PartOfViews: Projection {
  func give(to views: inout Views)
}

extension PartOfViews where Self: ExplainedProjection {
  func give(to views: inout Views) { views.take(self) }
}

extension Pair: PartOfViews where First: PartOfViews, Second: PartOfViews {
  func give(to views: inout Views) {
    first.give(to: &views)
    second.give(to: &views)
  }
}

extension Blocks: PartOfViews {}
extension Chups: PartOfViews {}
extension Comments: PartOfViews {}
extension Conversations: PartOfViews {}
extension FollowLists: PartOfViews {}
extension Groups: PartOfViews {}
extension Leaderboard: PartOfViews {}
extension Notifications: PartOfViews {}
extension Profiles: PartOfViews {}
extension Reactions: PartOfViews {}
extension Relationships: PartOfViews {}
extension Reports: PartOfViews {}
extension Search: PartOfViews {}
extension Workouts: PartOfViews {}

/// The start of a replay: with the log's first event, or at a checkpoint.
enum ReplayStart { case nothing, checkpoint }

/// The checkpoints from which replays have started.
final class RestoredStates: Sendable {
  private let states = Mutex<[any SavedState]>([])

  func add(_ state: (any SavedState)?) { states.withLock { $0 += [state].compactMap { $0 } } }

  /// Returns the given answer. If one of the checkpoints is damaged, prints a note and returns nil.
  func checked<Answer>(_ answer: Answer) -> Answer? {
    for state in states.withLock({ $0 }) where Optional(state).checked(true) == nil {
      noteIgnored(state.name, .damaged)
      return nil
    }
    return answer
  }
}

/// Replays a log into a projection, with a progress bar on a terminal.
/// - Parameter restored: receives the checkpoint from which the replay starts. The replay then
///   reads the checkpoint page by page, so pass each answer to `checked`.
func replayed<P: Projection>(
  _ projection: P, _ view: LogView, until: UInt64, _ invocation: Invocation, label: String,
  from start: ReplayStart, restored: RestoredStates? = nil
) async throws -> Replay<P> {
  var replay = Replay(projection)
  let bar = Progress(label: label, total: view.size, unit: "bytes")
  let options = try invocation.replayOptions(bar)
  let isCold = start == .nothing || invocation.flag("--cold")
  if !isCold {
    let ignored = replay.restore(
      view, until: until, lazily: restored != nil, beforeRun: true, unknown: options.unknown)
    for checkpoint in ignored { noteIgnored(checkpoint.path, checkpoint.fault) }
    restored?.add(replay.restored)
  }
  try await replay.run(view, until: until, options: options)
  bar.finish()
  if !isCold { replay.saveIfDue(view, ofPast: true) }
  return replay
}

extension Invocation {
  func replayOptions(_ bar: Progress?) throws(Failure) -> ReplayOptions {
    var options = ReplayOptions()
    options.jobs = try jobs()
    options.unknown = try unknownPolicy()
    options.progress = { done, total in bar?.update(done, of: total) }
    return options
  }
}
