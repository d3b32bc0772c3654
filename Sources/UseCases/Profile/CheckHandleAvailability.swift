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

    public init(from fields: inout Fields) throws(InputError) {
      handle = try fields.required("handle", "The handle to check.")
    }
  }

  /// The availability of a handle.
  public enum Availability: String, Answer {
    case available, taken, invalid
    public var json: JSONValue { .string(rawValue) }
  }

  public static let about = About(
    "CheckHandleAvailability", .profile, "Check whether a handle is available",
    result: "`available`, `taken` or `invalid`")
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public static func answer(
    _ input: Input, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> Availability {
    if model.rules.problem(withHandle: input.handle) != nil { return .invalid }
    guard let holder = model.views.holder(of: input.handle) else { return .available }
    return model.viewer(caller) == .user(holder) ? .available : .taken
  }
}
