import EventLog
import Events
import Projections
import Replaying

/// A state, or a checkpoint of one, that a core could not start from.
///
/// ```swift
/// var state = Replay<CoreState>()
/// try await state.run(view)
/// let core = try await Core(log, state: state)
/// core.ignoredStates.count  // 1: the state is of the demo, not of this log
/// ```
public struct IgnoredState: Equatable, Sendable {
  public enum Reason: Equatable, Sendable {
    /// It is damaged, of another log, beyond the log's end, or unreadable.
    case fault(CheckpointFault)
    /// It skipped events of these types, at which the core was told to stop.
    case skippedTypes([UnknownType])
  }

  /// The checkpoint's file; nil if the state did not come from one.
  public var path: String?
  public var reason: Reason

  init(path: String?, _ reason: Reason) {
    self.path = path
    self.reason = reason
  }
}

extension IgnoredState: CustomStringConvertible {
  /// A phrase such as `my.log/checkpoints/core-0000000000000260.checkpoint is damaged`.
  public var description: String {
    let subject = path ?? "the state"
    switch reason {
    case .fault(let fault): return "\(subject) \(fault)"
    case .skippedTypes(let types):
      let names = types.map { "\($0.name) version \($0.version)" }.joined(separator: ", ")
      return "\(subject) lacks events of unknown types: \(names)"
    }
  }
}

extension Replay<CoreState> {
  /// Why a core on this store cannot start from the state; nil if it can.
  func unusable(
    with store: any EventStore, unknown: ChunkConsumer.UnknownPolicy
  ) async throws(LogError) -> IgnoredState.Reason? {
    guard head.seq > 0 else { return nil }
    if restored.checked(true) == nil { return .fault(.damaged) }
    if unknown == .stop, !skipped.isEmpty { return .skippedTypes(skipped.keys.sorted()) }
    let last = try await store.head()
    guard head.seq <= last else { return .fault(.ahead(position: head.seq, head: last)) }
    // The sum of one event covers all before it.
    let event = try await store.read(after: head.seq - 1, limit: 1).first
    return event?.sum == head.sum ? nil : .fault(.foreign)
  }
}
