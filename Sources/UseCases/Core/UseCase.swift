/// An operation that an app can perform with a core.
///
/// ```swift
/// let toggle: any UseCase<ToggleFollow.Input, Bool> = ToggleFollow(core)
/// try await toggle.execute(.init(followee: "bob"), as: "alice")  // true: alice now follows bob
/// ```
/// A screen depends on this protocol. The app passes it the use case, and a test passes it a
/// `RecordingUseCase` (product UseCasesTesting). A use case holds no state, so create one wherever
/// you need it.
public protocol UseCase<Input, Output>: Sendable {
  /// The fields that the use case reads.
  associatedtype Input: UseCaseInput
  /// The type of the result.
  associatedtype Output: FieldValue

  #if !hasFeature(Embedded)  // Embedded code never waits for a core.
    /// Performs the use case for the user or service that calls.
    /// - Throws: `UseCaseError`; each use case lists its errors in `about`.
    func execute(_ input: Input, as caller: Caller) async throws(UseCaseError) -> Output
  #endif
}

/// A use case with a name and documentation, as `Registry`, `eventlog do` and the documentation
/// need them.
public protocol DescribedUseCase: UseCase {
  /// The use case's name and documentation.
  static var about: About { get }
}

/// A use case that answers from the projections and changes nothing.
public protocol Query: DescribedUseCase {
  /// The fields that the query reads.
  associatedtype Input
  /// The answer.
  associatedtype Output
  /// The core that answers.
  var core: Core { get }
  /// Creates the query on a core.
  init(_ core: Core)
  /// Returns the answer as of the model's position.
  static func answer(
    _ input: Input, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> Output
}

/// A use case that decides, appends the decided events, and answers when these events are durable.
public protocol Command: DescribedUseCase {
  /// The fields that the command reads.
  associatedtype Input
  /// The answer.
  associatedtype Output
  /// The result of `decide`, from which `answer` returns the answer.
  associatedtype Decided: Sendable = Output

  /// The core that decides.
  var core: Core { get }
  /// Creates the command on a core.
  init(_ core: Core)
  /// Decides the command and records its events in the model, without waiting.
  ///
  /// The core then appends the recorded events all together or not at all.
  func decide(_ input: Input, in model: inout Model) throws(UseCaseError) -> Decided
  /// Returns the answer. The core calls `answer` when the command's events are durable and in the
  /// projections.
  func answer(_ decided: Decided, in model: Model) -> Output
  /// Returns the answer if it is known before the command's events are in the projections, so that
  /// a shared log can record it together with the events; otherwise nil. The core calls this right
  /// after `decide`.
  func knownAnswer(_ decided: Decided, in model: inout Model) -> Output?
}

extension Command {
  public func knownAnswer(_ decided: Decided, in model: inout Model) -> Output? { nil }
}

extension Command where Decided == Output {
  public func answer(_ decided: Output, in model: Model) -> Output { decided }
  /// A command that implements `answer` in another way must implement this, too.
  public func knownAnswer(_ decided: Output, in model: inout Model) -> Output? { decided }
}

/// A command without an answer: `decide` returns nothing.
public protocol SilentCommand: Command where Output == Nothing, Decided == Void {}

extension SilentCommand {
  public func answer(_: Void, in model: Model) -> Nothing { Nothing() }
  public func knownAnswer(_: Void, in model: inout Model) -> Nothing? { Nothing() }
}
