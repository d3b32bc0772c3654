import Synchronization
import UseCases

/// A test double of a use case. It records its calls, and every call fails until the test sets an
/// answer.
///
/// ```swift
/// let toggle = Recording<ToggleFollow>()
/// toggle.answers(true)
/// let screen = FollowButton(toggle: toggle)      // takes any UseCase<ToggleFollow.Input, Bool>
/// await screen.tap("bob", as: "alice")
/// toggle.calls.map(\.input.followee)             // ["bob"]
/// toggle.fails(.refused(.profileNotFound))       // from now on
/// ```
/// The double needs no core and no log. `docs/embedding.md` shows a test of a whole screen with a
/// double.
public final class RecordingUseCase<Input: UseCaseInput, Output: FieldValue>: UseCase {
  /// A call of the use case that the double recorded.
  public struct Call: Equatable, Sendable {
    /// The input that the caller passed.
    public var input: Input
    /// The user or service that called the use case.
    public var caller: Caller
  }

  private struct State {
    var calls: [Call] = []
    var answer: @Sendable (Call) throws(UseCaseError) -> Output = { _ throws(UseCaseError) in
      throw .invalidInput(
        InputError("this RecordingUseCase has no answer", "call answers or fails before it is used")
      )
    }
  }

  private let state = Mutex(State())

  /// Creates a double without an answer; every call fails until the test sets one.
  public init() {}

  /// The calls of the use case so far, in order, including calls that failed.
  public var calls: [Call] { state.withLock { $0.calls } }

  /// Makes every later call return this output.
  public func answers(_ output: Output) {
    answers { _ throws(UseCaseError) in output }
  }

  /// Makes every later call fail with this error.
  public func fails(_ error: UseCaseError) {
    answers { _ throws(UseCaseError) in throw error }
  }

  /// Makes every later call return the closure's output or throw its error.
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

/// The test double of the use case type `U`, created like `Recording<ToggleFollow>()`.
public typealias Recording<U: UseCase> = RecordingUseCase<U.Input, U.Output>
