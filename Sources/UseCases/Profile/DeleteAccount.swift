import Events

/// Permanently closes the caller's account. No query shows the account or its items any more. The
/// user's id cannot be used for a new account.
///
/// Each group that the caller owns gets a new owner: its longest-standing admin or, if there is
/// none, its longest-standing member. A group without other members is deleted.
///
/// The account's events and texts stay in the log, and in answers as of earlier positions. Only
/// `Forgetting` erases them.
public struct DeleteAccount: SilentCommand {
  public static let about = About(
    "DeleteAccount", .profile,
    "Close the caller's account: answers omit it and its items; its events stay in the log",
    errors: ["profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: NoInput, in model: inout Model) throws(UseCaseError) {
    let actor = try model.actor()
    for group in model.aggregates.value.groups(ownedBy: actor) {
      let heir = model.heir(of: group, actor)
      let event =
        heir.map { GroupEvent.transferred(GroupTransferred(group: group, owner: $0)) }
        ?? .deleted(GroupReference(group: group))
      try model.decide(event, by: actor)
    }
    try model.decide(Event.accountDeleted(UserReference(user: actor)), by: actor)
  }
}

extension Model {
  /// Returns the next owner of a group: the longest-standing admin, or if there is none the
  /// longest-standing member.
  fileprivate func heir(of group: GroupID, _ owner: UserID) -> UserID? {
    let durable = Array(views.members(of: group).reversed())
    // Members whose joining is not yet durable come last.
    let known = Set(durable)
    let members = (durable + aggregates.value.members(of: group).filter { !known.contains($0) })
      .filter {
        $0 != owner && aggregates.value.standing(group, $0).isMember
      }
    return members.first { aggregates.value.standing(group, $0).isAdmin } ?? members.first
  }
}
