import Events

/// A projection rebuilt in two ways, and whether they came to the same.
///
/// ```swift
/// let comparison = try await Comparison<Chups>(view, until: 1_000)
/// comparison.difference?.seq   // the first event after which the two part
/// ```
/// One way is a replay in one piece on many cores, settled once at the end; the other applies event
/// by event on one core and settles after each, as a running app does. A projection whose answers
/// depend on the way is wrong.
/// - Complexity: two replays and the projection's facts; dozens of each where they differ.
public struct Comparison<P: Projection>: Sendable {
  public struct Difference: Equatable, Sendable {
    /// The first event after which the two part.
    public var seq: UInt64
    /// A member in which they do then, the first by its path; a value is nil where it is not there.
    public var path: String
    public var rebuilt: String?
    public var incremental: String?
  }

  /// Pieces of state that were compared.
  public private(set) var count = 0
  public private(set) var difference: Difference?

  public init(
    _ view: LogView, until: UInt64, options: Replay<P>.Options = .init()
  ) async throws(LogError) {
    let (count, difference) = try await Self.compare(view, until, options)
    self.count = count
    guard let difference else { return }
    self.difference = difference
    // Between a position where they agree and one where they do not.
    var (low, high) = (UInt64(0), until)
    while high - low > 1 {
      let middle = (low + high) / 2
      if let difference = try await Self.compare(view, middle, options).difference {
        high = middle
        self.difference = difference
      } else {
        low = middle
      }
    }
  }

  private static func compare(
    _ view: LogView, _ until: UInt64, _ options: Replay<P>.Options
  ) async throws(LogError) -> (count: Int, difference: Difference?) {
    var replay = Replay<P>()
    try await replay.run(view, until: until, options: options)
    var projection = P()
    var names = Names()
    try view.forEachTypedEvent(until: until, &names, unknown: options.unknown) {
      projection.apply($0, at: $2)
      projection.settle()
    }
    func sorted(_ facts: [Fact]) -> [Fact] { facts.sorted { $0.path < $1.path } }
    let rebuilt = sorted(replay.projection.facts(replay.names))
    let incremental = sorted(projection.facts(names))
    let common = min(rebuilt.count, incremental.count)
    let at =
      (0..<common).first { rebuilt[$0] != incremental[$0] }
      ?? (rebuilt.count == incremental.count ? nil : common)
    return (rebuilt.count, at.map { difference(rebuilt, incremental, at: $0, until) })
  }

  private static func difference(
    _ rebuilt: [Fact], _ incremental: [Fact], at: Int, _ seq: UInt64
  ) -> Difference {
    let (a, b) = (rebuilt.dropFirst(at).first, incremental.dropFirst(at).first)
    let path = min(a?.path ?? b?.path ?? "", b?.path ?? a?.path ?? "")
    return Difference(
      seq: seq, path: path, rebuilt: a?.path == path ? a?.value : nil,
      incremental: b?.path == path ? b?.value : nil)
  }
}
