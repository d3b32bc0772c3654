import Aggregates
import Events
import Projections

/// One thing that an app asks of the core.
///
/// ```swift
/// let toggle: any UseCase<ToggleFollow.Input, Bool> = ToggleFollow(core)
/// try await toggle.execute(.init(followee: "bob"), as: "alice")  // true: alice now follows bob
/// ```
/// A screen asks for the protocol and is given the use case, or in its tests a `RecordingUseCase`
/// (product UseCasesTesting). A use case holds no state: make one where it is needed.
public protocol UseCase<Input, Output>: Sendable {
  associatedtype Input: UseCaseInput
  associatedtype Output: Answer

  /// - Parameter caller: who asks.
  /// - Throws: `UseCaseError`: which ones, each use case says in `about`.
  func execute(_ input: Input, as caller: Caller) async throws(UseCaseError) -> Output
}

/// A use case that the registry knows, so that `eventlog do` and the documents do.
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
  func answer(
    _ input: Input, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> Output
}

extension Query {
  public func execute(_ input: Input, as caller: Caller) async throws(UseCaseError) -> Output {
    try core.answer(self, input, as: caller)
  }
}

/// A use case that decides, appends what it decided, and answers when that is durable.
public protocol Command: DescribedUseCase {
  associatedtype Input
  associatedtype Output
  /// What `answer` needs to know of the decision.
  associatedtype Decided: Sendable = Output

  var core: Core { get }
  init(_ core: Core)
  /// Decides without waiting for anything; the events it records in the model are appended whole
  /// or not at all.
  func decide(_ input: Input, in model: inout Model) throws(UseCaseError) -> Decided
  /// The answer, once what was decided is durable and in the projections.
  func answer(_ decided: Decided, in model: Model) -> Output
}

extension Command where Decided == Output {
  public func answer(_ decided: Output, in model: Model) -> Output { decided }
}

extension Command {
  public func execute(_ input: Input, as caller: Caller) async throws(UseCaseError) -> Output {
    try await core.performed(self, input, as: caller).output
  }
}

/// Reads what other writers appended to the same log since, then asks the query. It fetches nothing
/// from another machine.
public struct Refresh<Q: Query>: UseCase {
  let query: Q

  public init(_ core: Core) { query = Q(core) }

  public func execute(_ input: Q.Input, as caller: Caller) async throws(UseCaseError) -> Q.Output {
    try await query.core.catchUp()
    return try await query.execute(input, as: caller)
  }
}

/// Who asks, and, for histories that are made up or told afterwards, when.
///
/// ```swift
/// try await toggle.execute(input, as: "alice")
/// try await toggle.execute(input, as: Caller(session.user))  // of a variable
/// ```
/// Authentication lies outside: whoever makes a `Caller` vouches for it.
public struct Caller: Equatable, Sendable, ExpressibleByStringLiteral, ExpressibleByNilLiteral {
  /// The user's id; nil where nobody is signed in.
  public var user: String?
  /// What the events are recorded with, not before the last one's; nil is the clock's.
  public var time: Timestamp?

  public init(_ user: String?, at time: Timestamp? = nil) {
    self.user = user
    self.time = time
  }

  public init(stringLiteral user: String) { self.init(user) }
  public init(nilLiteral: ()) { self.init(nil) }
}

/// What a use case is called, and what there is to know about it.
public struct About: Sendable {
  public enum Area: String, CaseIterable, Sendable {
    case profile, follow, friends, workouts, chups, comments
  }

  /// What `eventlog do` calls it.
  public var name: String
  public var area: Area
  /// One sentence, without its full stop.
  public var summary: String
  /// What it answers, in words.
  public var result: String
  /// The codes of the domain's refusals.
  public var errors: [String]

  init(
    _ name: String, _ area: Area, _ summary: String, result: String = "nothing",
    errors: [String] = []
  ) {
    self.name = name
    self.area = area
    self.summary = summary
    self.result = result
    self.errors = errors
  }
}
