import PersonalLogs
import Synchronization
import UseCases

/// A test double of an `OutcomeSource`. It delivers the outcomes that the test adds, and records
/// the dismissed ones.
///
/// ```swift
/// let source = RecordingOutcomes()
/// source.add(CommandOutcome(id: "1", kind: .refused, name: "FollowUser"))
/// source.outcomes.count  // 1
/// source.dismiss("1")
/// source.dismissed       // ["1"]
/// ```
public final class RecordingOutcomes: OutcomeSource {
  private struct State {
    var outcomes: [CommandOutcome] = []
    var dismissed: [CommandOutcome.ID] = []
    var observers: [AsyncStream<CommandOutcome>.Continuation] = []
  }

  private let state = Mutex(State())

  /// Creates a double without outcomes.
  public init() {}

  public var outcomes: [CommandOutcome] { state.withLock { $0.outcomes } }

  /// The ids of the dismissed outcomes, in order.
  public var dismissed: [CommandOutcome.ID] { state.withLock { $0.dismissed } }

  /// Adds an outcome, as if a server had answered.
  public func add(_ outcome: CommandOutcome) {
    state.withLock { state in
      state.outcomes.append(outcome)
      for observer in state.observers { observer.yield(outcome) }
    }
  }

  public func outcomeUpdates() -> AsyncStream<CommandOutcome> {
    let (stream, continuation) = AsyncStream<CommandOutcome>.makeStream()
    state.withLock { state in
      for outcome in state.outcomes { continuation.yield(outcome) }
      state.observers.append(continuation)
    }
    return stream
  }

  public func dismiss(_ id: CommandOutcome.ID) {
    state.withLock { state in
      state.outcomes.removeAll { $0.id == id }
      state.dismissed.append(id)
    }
  }
}
