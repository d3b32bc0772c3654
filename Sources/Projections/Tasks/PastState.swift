import Events

/// The state of every projection as of any position of a log, by replaying all of it: what
/// `TimeTravel` asks where a path names more than one user, workout or comment.
/// - Complexity: a replay of each projection that the path asks for, from its last checkpoint at or
///   before the first position, and its facts; one projection after the other, so that memory is
///   that of the largest.
struct PastState<H: History>: Sendable {
  private let view: H
  private let jobs: Int
  private let unknown: ChunkConsumer.UnknownPolicy
  private let usesCheckpoints: Bool

  init(
    _ view: H, jobs: Int = 2, unknown: ChunkConsumer.UnknownPolicy = .stop,
    usesCheckpoints: Bool = true
  ) {
    self.view = view
    self.jobs = jobs
    self.unknown = unknown
    self.usesCheckpoints = usesCheckpoints
  }

  /// The pieces of state under a path, all if it is nil, in the order of their paths.
  func facts(
    at position: UInt64, under path: StatePath? = nil
  ) async throws(LogError) -> [Fact] {
    var found: [Fact] = []
    try await visit(path, [position]) { states in found += states[0] }
    return found.sorted { $0.path < $1.path }
  }

  /// What differs between two positions under a path, in the order of the paths.
  func changes(
    from: UInt64, to: UInt64, under path: StatePath? = nil
  ) async throws(LogError) -> [Change] {
    var found: [Change] = []
    // A replay goes forward: the other way round, what was before is after.
    let isForward = from <= to
    try await visit(path, isForward ? [from, to] : [to, from]) { states in
      found +=
        isForward ? Change.between(states[0], states[1]) : Change.between(states[1], states[0])
    }
    return found.sorted { $0.path < $1.path }
  }

  /// Calls `body` with the facts of one projection after the other, at each of some ascending
  /// positions.
  private func visit(
    _ path: StatePath?, _ positions: [UInt64], _ body: ([[Fact]]) -> Void
  ) async throws(LogError) {
    func look<P: Projection>(_: P.Type, _ kinds: Set<StatePath.Kind>) async throws(LogError) {
      if let path, !kinds.contains(path.kind) { return }
      var replay = Replay<P>()
      if usesCheckpoints {
        _ = replay.restore(view, until: positions[0], unknown: unknown)
      }
      var options = Replay<P>.Options()
      options.jobs = jobs
      options.unknown = unknown
      var states: [[Fact]] = []
      for position in positions {
        try await replay.run(view, until: position, options: options)
        let facts = replay.projection.facts(replay.names)
        states.append(
          facts.filter { path?.contains($0.path) ?? true }.sorted { $0.path < $1.path })
      }
      body(states)
    }
    try await look(FollowerRows.self, [.followers, .following])
    try await look(Following.self, [.followers, .following])
    try await look(Profiles.self, [.profile, .handle])
    try await look(Relationships.self, [.relationship, .friends, .requests, .pending])
    try await look(Search.self, [.search])
    try await look(Workouts.self, [.workout, .workouts])
    try await look(Chups.self, [.chups, .workout])
    try await look(Comments.self, [.comment, .comments, .workout])
    try await look(Leaderboard.self, [.leaderboard])
    try await look(Notifications.self, [.notifications])
  }
}
