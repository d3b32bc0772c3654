import EventLog
import Events
import Projections

/// The state of every projection at any position of a log, computed by a replay. `TimeTravel` uses
/// it for paths that name more than one user, workout or comment.
/// - Complexity: a replay of each projection that has the path's kind, from its last checkpoint
///   before the position. One replay at a time: the memory is that of the largest projection.
struct PastState<H: History>: Sendable {
  private let view: H
  private let catalogue: Catalogue
  private let usesCheckpoints: Bool
  private var options = ReplayOptions()

  init(
    _ view: H, _ catalogue: Catalogue = .standard, jobs: Int = 2,
    unknown: ChunkConsumer.UnknownPolicy = .stop,
    usesCheckpoints: Bool = true
  ) {
    (self.view, self.catalogue, self.usesCheckpoints) = (view, catalogue, usesCheckpoints)
    (options.jobs, options.unknown) = (jobs, unknown)
  }

  /// Returns the pieces of state under a path, sorted by path; all pieces if the path is nil.
  func facts(
    at position: UInt64, under path: StatePath? = nil
  ) async throws(LogError) -> [Fact] {
    var found: [Fact] = []
    try await visit(path, [position]) { states in found += states[0] }
    return found.sorted { $0.path < $1.path }
  }

  /// Returns the differences between the states at two positions, under a path, sorted by path.
  func changes(
    from: UInt64, to: UInt64, under path: StatePath? = nil
  ) async throws(LogError) -> [Change] {
    var found: [Change] = []
    // A replay runs only forward. If `from` is later than `to`, the two states are swapped.
    let isForward = from <= to
    try await visit(path, isForward ? [from, to] : [to, from]) { states in
      found +=
        isForward ? Change.between(states[0], states[1]) : Change.between(states[1], states[0])
    }
    return found.sorted { $0.path < $1.path }
  }

  /// Calls `body` once for each projection, with its facts at each of some ascending positions.
  private func visit(
    _ path: StatePath?, _ positions: [UInt64], _ body: ([[Fact]]) -> Void
  ) async throws(LogError) {
    for replay in catalogue.views().looked(Replays(path: path)).replays {
      body(try await replay(self, positions))
    }
  }

  private func states<P: ExplainedProjection>(
    _: P.Type, _ path: StatePath?, _ positions: [UInt64]
  ) async throws(LogError) -> [[Fact]] {
    var replay = Replay<P>()
    if usesCheckpoints { _ = replay.restore(view, until: positions[0], unknown: options.unknown) }
    var states: [[Fact]] = []
    for position in positions {
      try await replay.run(view, until: position, options: options)
      let facts = replay.projection.facts(replay.names)
      states.append(
        facts.filter { path?.contains($0.path) ?? true }.sorted { $0.path < $1.path })
    }
    return states
  }

  /// The replays of all projections that have states of the path's kind.
  private struct Replays: ProjectionVisitor {
    let path: StatePath?
    var replays: [@Sendable (PastState, [UInt64]) async throws(LogError) -> [[Fact]]] = []

    mutating func visit<P: ExplainedProjection>(_ projection: inout P) {
      if let path, !P.kinds.contains(path.kind) { return }
      replays.append { [path] (past, positions) async throws(LogError) in
        try await past.states(P.self, path, positions)
      }
    }
  }
}
