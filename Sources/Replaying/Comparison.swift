import EventLog
import Events
import Projections

/// A comparison of two or three ways to rebuild a projection.
///
/// ```swift
/// let comparison = try await Comparison(Chups.self, view, until: 200)
/// comparison.differences.first?.seq   // the first event after which two of them differ
/// ```
/// Three ways must give the same state:
/// - a replay on many cores, which calls `settle` once, at the end;
/// - a replay event by event, which calls `settle` after each event, like a running app;
/// - a replay that starts from the last checkpoint, if there is one.
///
/// If they differ, the projection or its checkpoint is wrong.
/// - Complexity: one replay for each way, after which all pieces of state are listed and compared.
///   If a way differs, finding the first difference takes two more replays for each step of a
///   binary search, about 20 steps for a million events.
public struct Comparison: Sendable {
  /// The projection's name.
  public let name: String
  /// A way to rebuild the projection: event by event, or from the last checkpoint. Its state is
  /// compared with the state from the replay on many cores.
  public enum Way: String, Sendable { case incremental, checkpoint }

  /// A difference between one way and the replay on many cores.
  public struct Difference: Equatable, Sendable {
    /// The way that differs.
    public var way: Way
    /// The position of the first event after which this way differs; for a wrong checkpoint, the
    /// checkpoint's position.
    public var seq: UInt64
    /// The path of the first piece of state that differs.
    public var path: String
    /// The value of that piece in the replay on many cores; nil if it is missing.
    public var rebuilt: String?
    /// The value of that piece in the other way; nil if it is missing.
    public var other: String?
  }

  /// The number of pieces of state that were compared.
  public private(set) var count = 0
  /// The first difference of each way that differs.
  public private(set) var differences: [Difference] = []
  /// The position of the checkpoint that was compared; nil if there is none.
  public private(set) var checkpoint: UInt64?

  /// Compares the ways for the state at position `until`.
  public init<P: ExplainedProjection>(
    _: P.Type, _ view: some History, until: UInt64, options: ReplayOptions = .init()
  ) async throws(LogError) {
    name = P.name
    let ways = Ways(P.self, view, options)
    let rebuilt = try await ways.replayed(until)
    count = rebuilt.count
    try await look(.incremental, ways, rebuilt, from: 0, until: until)
    var start = Replay<P>()
    _ = start.restore(view, until: until)
    guard start.head.seq > 0 else { return }
    checkpoint = start.head.seq
    try await look(.checkpoint, ways, rebuilt, from: start.head.seq - 1, until: until)
  }

  /// If a way differs at `until`, finds the first position after `from` at which it differs, and
  /// adds that difference to `differences`.
  private mutating func look<P: ExplainedProjection>(
    _ way: Way, _ ways: Ways<P, some History>, _ rebuilt: [Fact], from: UInt64, until: UInt64
  ) async throws(LogError) {
    func difference(_ rebuilt: [Fact], _ seq: UInt64) async throws(LogError) -> Difference? {
      let other =
        way == .incremental
        ? try ways.incremental(seq) : try await ways.replayed(seq, restores: true)
      return Self.difference(rebuilt, other, way, seq)
    }
    guard var found = try await difference(rebuilt, until) else { return }
    var (low, high) = (from, until)
    while high - low > 1 {
      let middle = (low + high) / 2
      let then = try await ways.replayed(middle)
      if let difference = try await difference(then, middle) {
        (high, found) = (middle, difference)
      } else {
        low = middle
      }
    }
    differences.append(found)
  }

  private static func difference(
    _ rebuilt: [Fact], _ other: [Fact], _ way: Way, _ seq: UInt64
  ) -> Difference? {
    let common = min(rebuilt.count, other.count)
    let at = (0..<common).first { rebuilt[$0] != other[$0] }
    guard at != nil || rebuilt.count != other.count else { return nil }
    let (a, b) = (rebuilt.dropFirst(at ?? common).first, other.dropFirst(at ?? common).first)
    let path = min(a?.path ?? b?.path ?? "", b?.path ?? a?.path ?? "")
    return Difference(
      way: way, seq: seq, path: path, rebuilt: a?.path == path ? a?.value.words : nil,
      other: b?.path == path ? b?.value.words : nil)
  }
}

private struct Ways<P: ExplainedProjection, H: History> {
  private let view: H
  private let options: ReplayOptions

  init(_: P.Type, _ view: H, _ options: ReplayOptions) {
    (self.view, self.options) = (view, options)
  }

  private func sorted(_ facts: [Fact]) -> [Fact] { facts.sorted { $0.path < $1.path } }

  func replayed(_ until: UInt64, restores: Bool = false) async throws(LogError) -> [Fact] {
    var replay = Replay<P>()
    if restores { _ = replay.restore(view, until: until) }
    try await replay.run(view, until: until, options: options)
    return sorted(replay.projection.facts(replay.names))
  }

  func incremental(_ until: UInt64) throws(LogError) -> [Fact] {
    var projection = P()
    var names = Names()
    names.appEvents = projection.appEvents
    try view.forEachTypedEvent(until: until, &names, unknown: options.unknown) {
      projection.apply($0, at: $2)
      projection.settle()
    }
    return sorted(projection.facts(names))
  }
}

extension Catalogue {
  /// Makes a `Comparison` of every projection in the catalogue, one at a time.
  /// - Complexity: that of all `Comparison`s together.
  public func compare<H: History>(
    _ view: H, until: UInt64, options: ReplayOptions = .init()
  ) async throws(LogError) -> [Comparison] {
    var found: [Comparison] = []
    for compare in visited(by: Comparisons<H>()).all {
      found.append(try await compare(view, until, options))
    }
    return found
  }

  private struct Comparisons<H: History>: ProjectionVisitor {
    var all: [@Sendable (H, UInt64, ReplayOptions) async throws(LogError) -> Comparison] = []

    mutating func visit<P: ExplainedProjection>(_ projection: inout P) {
      all.append { (view, until, options) async throws(LogError) in
        try await Comparison(P.self, view, until: until, options: options)
      }
    }
  }
}
