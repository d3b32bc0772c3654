import EventLog
import Events
import Projections
import Replaying
import TimeMachine

/// A projection in the command line.
struct ProjectionCommand: Sendable {
  var name: String
  var summary: String
  /// Its own options, in addition to the common ones.
  var options: [String] = []
  var run: @Sendable (Projecting) async throws -> ProjectionAnswer

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

/// A question to a projection.
struct Projecting: Sendable {
  var invocation: Invocation
  var view: LogView
  var revision: UInt64
  var format: Format
  /// Nil means all.
  var limit: Int?
  /// The checkpoints that were begun from, of which only what an answer touches is read.
  private let restored = RestoredStates()
  private var start = ReplayStart.checkpoint

  init(
    invocation: Invocation, view: LogView, revision: UInt64, format: Format, limit: Int?
  ) {
    (self.invocation, self.view, self.revision) = (invocation, view, revision)
    (self.format, self.limit) = (format, limit)
  }

  func replay<P: Projection>(_ projection: P = P()) async throws -> Replay<P> {
    try await replayed(
      projection, view, until: revision, invocation, label: "replaying", from: start,
      restored: restored)
  }

  /// Answers a question that `rows` reads the state for: as of a past revision, if it is about some
  /// users only, from the events that bear on these; otherwise from a replay of the projection.
  func ask<P: PartOfViews>(
    _ projection: P = P(),
    _ rows: @escaping @Sendable (ProjectedState) throws(Failure) -> ProjectionAnswer
  ) async throws -> ProjectionAnswer {
    if start == .checkpoint, invocation.value("--as-of") != nil, !invocation.flag("--cold") {
      if let answer = try await answerFromRelevantEvents(projection, rows) {
        return try answer.get()
      }
    }
    let replay = try await replay(projection)
    var views = Views()
    replay.projection.give(to: &views)
    return try rows(
      ProjectedState(
        views: Reading(views), names: replay.names, head: replay.head, skipped: replay.skipped))
  }

  /// Nil if a replay of the projection from its last checkpoint is the better way.
  private func answerFromRelevantEvents<P: Projection>(
    _ projection: P,
    _ rows: @escaping @Sendable (ProjectedState) throws(Failure) -> ProjectionAnswer
  ) async throws -> Result<ProjectionAnswer, Failure>? {
    let bar = Progress(label: "index", total: view.size, unit: "bytes")
    defer { bar.finish() }
    let options = try replayOptions(invocation, bar)
    var replay = Replay(projection)
    _ = replay.restore(view, until: revision, lazily: true, unknown: options.unknown)
    let past = RelevantPast(view, until: revision, startingAt: replay.head.seq, options: options)
    return await past?.ask { [head = past?.head] reading, names in
      Result { () throws(Failure) in
        try rows(ProjectedState(views: reading, names: names, head: head ?? LogHead()))
      }
    }
  }

  /// A user with an open account.
  func user(_ name: String, _ state: ProjectedState) throws(Failure) -> UserID {
    guard let user = state.find(user: name), state.views.isOpen(user) else {
      throw missing(user: name)
    }
    return user
  }

  /// What a projection says: from its last checkpoint if that can be believed, else from the text
  /// of the log.
  func answer(of projection: ProjectionCommand) async throws -> ProjectionAnswer {
    let answer: Result<ProjectionAnswer, any Error>
    do { answer = .success(try await projection.run(self)) } catch { answer = .failure(error) }
    if let answer = restored.checked(answer) { return try answer.get() }
    var again = self
    again.start = .nothing
    return try await projection.run(again)
  }

  var user: String? { invocation.value("--user") }
  var workout: String? { invocation.value("--workout") }

  /// The user, who must be named.
  func requiredUser(_ name: String) throws(Failure) -> String {
    guard let user else { throw .usage("project \(name) is of one user: add --user U") }
    return user
  }

  func missing(user: String) -> Failure {
    Failure(.refused, "no user \(quoted(user)) as of revision \(revision)")
  }

  func missing(group: String) -> Failure {
    Failure(.refused, "no group \(quoted(group)) as of revision \(revision)")
  }

  func missing(workout: String) -> Failure {
    Failure(.refused, "no workout \(quoted(workout)) as of revision \(revision)")
  }

  /// At most `limit` rows, with the replay's revision and skipped events.
  func answer<P>(
    _ rows: Rows, _ replay: Replay<P>, title: String? = nil
  ) -> ProjectionAnswer {
    var rows = rows
    if let limit { rows.rows = Array(rows.rows.prefix(limit)) }
    return ProjectionAnswer(rows: rows, head: replay.head, skipped: replay.skipped, title: title)
  }
}
