import Events

/// Joins a public group, or one that the caller is invited to, and asks to join another.
public struct JoinGroup: Command {
  /// What came of it.
  public enum Joining: String, Answer {
    case joined
    /// An admin has to approve; asking again appends nothing.
    case requested

    public var json: JSONValue { .string(rawValue) }
  }

  public static let about = About(
    "JoinGroup", .groups, "Join a public group, or ask to join a private one",
    result: "joined or requested",
    errors: ["groupNotFound", "alreadyMember", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: GroupReferenceInput, in model: inout Model) throws(UseCaseError)
    -> Joining
  {
    let actor = try model.actor()
    let joined = Membership(group: try model.group(input.group), user: actor)
    let event = try model.decide(MemberEvent.joined(joined), by: actor)
    if case .member(.joined) = event { return .joined }
    return .requested
  }
}
