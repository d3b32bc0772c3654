import Aggregates
import Events
import Projections

/// Whether the caller can take a handle.
public struct CheckHandleAvailability: Query {
  public struct Input: UseCaseInput {
    public var handle: String

    public init(handle: String) { self.handle = handle }

    public init(from fields: inout Fields) throws(InputError) {
      handle = try fields.required("handle", "The handle wished for.")
    }
  }

  public enum Availability: String, Answer {
    case available, taken, invalid
    public var json: JSONValue { .string(rawValue) }
  }

  public static let about = About(
    "CheckHandleAvailability", .profile, "Say whether a handle can be had",
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
