import Aggregates
import Events
import Projections

/// A query that checks whether the caller can take a handle.
public struct CheckHandleAvailability: Query {
  /// The input of `CheckHandleAvailability`.
  public struct Input: UseCaseInput {
    /// The handle to check.
    public var handle: String

    /// Creates the input.
    public init(handle: String) { self.handle = handle }

    public static var placeholder: Input { Input(handle: .placeholder) }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.required("handle", "The handle to check.", &handle)
    }
  }

  /// The availability of a handle.
  public enum Availability: String, ChoiceField {
    case available, taken, invalid
  }

  public static let about = About(
    "CheckHandleAvailability", .profile, "Check whether a handle is available",
    result: "`available`, `taken` or `invalid`")
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public static func answer(
    _ input: Input, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> Choice<Availability> {
    if model.rules.problem(withHandle: input.handle) != nil { return .known(.invalid) }
    var user: UserID?
    if case .user(let caller) = model.viewer(caller) { user = caller }
    let holder = model.views.holder(of: input.handle)
    let states = model.aggregates.value
    let isFree =
      (holder == nil || holder == user)
      && states.isFree(input.handle, for: user, at: model.now, model.rules)
    return .known(isFree ? .available : .taken)
  }
}
