import Events

/// Closes the caller's account: from then on no answer shows it or what it shared, and its id is
/// never reused.
///
/// The groups that it owns go to the member who has been there longest, an admin if there is one; a
/// group without other members is deleted. Its events, with their texts, stay in the log, and in
/// every answer as of an earlier time: this erases nothing. `Forgetting` does.
public struct DeleteAccount: Command {
  public static let about = About(
    "DeleteAccount", .profile,
    "Close one's account: answers are without it and what it shared; its events stay in the log",
    errors: ["profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: NoInput, in model: inout Model) throws(UseCaseError) -> Nothing {
    let actor = try model.actor()
    for group in model.society.groups(ownedBy: actor) {
      let heir = model.heir(of: group, actor)
      let event =
        heir.map { GroupEvent.transferred(GroupTransferred(group: group, owner: $0)) }
        ?? .deleted(GroupReference(group: group))
      try model.decide(event, by: actor)
    }
    try model.decide(Event.accountDeleted(UserReference(user: actor)), by: actor)
    return Nothing()
  }
}

extension Model {
  /// Who is to own a group without its owner: the longest-standing admin, else member.
  fileprivate func heir(of group: GroupID, _ owner: UserID) -> UserID? {
    let durable = Array(views.members(of: group).reversed())
    // Who came with commands that are being appended now comes last.
    let known = Set(durable)
    let members = (durable + society.members(of: group).filter { !known.contains($0) }).filter {
      $0 != owner && society.standing(group, $0).isMember
    }
    return members.first { society.standing(group, $0).isAdmin } ?? members.first
  }
}
