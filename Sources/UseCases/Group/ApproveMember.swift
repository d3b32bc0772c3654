/// Lets in a user who asked to join.
public struct ApproveMember: Command {
  public static let about = About(
    "ApproveMember", .groups, "As an admin, let in a user who asked to join",
    errors: ["groupNotFound", "notAuthorized", "noSuchRequest", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: MemberInput, in model: inout Model) throws(UseCaseError) -> Nothing {
    try model.decideMembership(input.group, of: input.user) { (visibility, _) in
      .approve(visibility)
    }
    return Nothing()
  }
}
