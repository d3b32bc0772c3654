/// One operation that an app can ask of the core.
///
/// ```swift
/// let toggle: any UseCase<ToggleFollow.Input, Bool> = ToggleFollow(core)
/// try await toggle.execute(.init(followee: "bob"), as: "alice")  // true: alice now follows bob
/// ```
/// A screen depends on the protocol and is given the use case, or in tests a `RecordingUseCase`
/// (product UseCasesTesting). A use case holds no state: create one where it is needed.
public protocol UseCase<Input, Output>: Sendable {
  associatedtype Input: UseCaseInput
  associatedtype Output: Answer

  #if !hasFeature(Embedded)  // Nothing waits for a core there.
    /// - Parameter caller: who calls.
    /// - Throws: `UseCaseError`; each use case lists its errors in `about`.
    func execute(_ input: Input, as caller: Caller) async throws(UseCaseError) -> Output
  #endif
}

/// A use case that is in the registry, for `eventlog do` and the documentation.
public protocol DescribedUseCase: UseCase {
  static var about: About { get }
}

/// A use case that answers from the projections and changes nothing.
public protocol Query: DescribedUseCase {
  associatedtype Input
  associatedtype Output
  var core: Core { get }
  init(_ core: Core)
  /// Answers as of the model's position.
  static func answer(
    _ input: Input, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> Output
}

/// A use case that decides, appends the decided events, and answers when they are durable.
public protocol Command: DescribedUseCase {
  associatedtype Input
  associatedtype Output
  /// What `answer` needs to know about the decision.
  associatedtype Decided: Sendable = Output

  var core: Core { get }
  init(_ core: Core)
  /// Decides without waiting for anything; the events it records in the model are appended all
  /// together or not at all.
  func decide(_ input: Input, in model: inout Model) throws(UseCaseError) -> Decided
  /// The answer, once the decision is durable and in the projections.
  func answer(_ decided: Decided, in model: Model) -> Output
}

extension Command where Decided == Output {
  public func answer(_ decided: Output, in model: Model) -> Output { decided }
}

/// A command without an answer: `decide` returns nothing.
public protocol SilentCommand: Command where Output == Nothing, Decided == Void {}

extension SilentCommand {
  public func answer(_: Void, in model: Model) -> Nothing { Nothing() }
}
