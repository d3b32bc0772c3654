import Synchronization
import UseCases

/// A test double of a use case. It records its calls, and fails until it has an answer.
///
/// ```swift
/// let toggle = Recording<ToggleFollow>()
/// toggle.answers(true)
/// let screen = FollowButton(toggle: toggle)      // takes any UseCase<ToggleFollow.Input, Bool>
/// await screen.tap("bob", as: "alice")
/// toggle.calls.map(\.input.followee)             // ["bob"]
/// toggle.fails(.refused(.profileNotFound))       // from now on
/// ```
/// It needs no core and no log. docs/embedding.md shows a whole screen tested with it.
public final class RecordingUseCase<Input: UseCaseInput, Output: FieldValue>: UseCase {
  /// A recorded call.
  public struct Call: Equatable, Sendable {
    /// The input of the call.
    public var input: Input
    /// The user or service that called.
    public var caller: Caller
  }

  private struct State {
    var calls: [Call] = []
    var answer: @Sendable (Call) throws(UseCaseError) -> Output = { _ throws(UseCaseError) in
      throw .log(.closed(reason: "this RecordingUseCase has no answer: call answers or fails"))
    }
  }

  private let state = Mutex(State())

  /// Creates a use case without an answer.
  public init() {}

  /// The calls so far, in order, including those that failed.
  public var calls: [Call] { state.withLock { $0.calls } }

  /// Answers every call from now on with this output.
  public func answers(_ output: Output) {
    answers { _ throws(UseCaseError) in output }
  }

  /// Fails every call from now on with this error.
  public func fails(_ error: UseCaseError) {
    answers { _ throws(UseCaseError) in throw error }
  }

  /// Answers every call from now on with the closure's result.
  public func answers(_ answer: @escaping @Sendable (Call) throws(UseCaseError) -> Output) {
    state.withLock { $0.answer = answer }
  }

  public func execute(_ input: Input, as caller: Caller) async throws(UseCaseError) -> Output {
    let call = Call(input: input, caller: caller)
    let answer = state.withLock { state in
      state.calls.append(call)
      return state.answer
    }
    return try answer(call)
  }
}

/// The test double of a use case, such as `Recording<ToggleFollow>()`.
public typealias Recording<U: UseCase> = RecordingUseCase<U.Input, U.Output>
