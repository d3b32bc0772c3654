import Aggregates
import Events
import Projections

/// The members of a group, with their roles.
public struct GetGroupMembers: Query {
  public static let about = About(
    "GetGroupMembers", .groups, "List the members of a group whom the caller may see",
    result: "rows with role: the owner first, then the others in the order of joining",
    errors: ["groupNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public static func answer(
    _ input: GroupPageInput, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> [MemberRow] {
    try model.checkListing(caller)
    let group = try model.visible(group: input.group, to: caller).id
    let (views, viewer) = (model.views, model.viewer(caller))
    let owner = views.group(group).map { [$0.owner] } ?? []
    let members = owner + views.members(of: group).reversed().filter { !owner.contains($0) }
    let rest = model.users(members, after: input.after, isNewestFirst: false) {
      views.memberSince(group, $0)
    }
    let seen = rest.lazy.filter { model.visibility(of: $0, viewer) != .hidden }
    return seen.dropFirst(max(input.offset ?? 0, 0)).prefix(clamped(input.limit)).compactMap {
      user in
      model.row(user, for: viewer, since: views.memberSince(group, user)).map {
        MemberRow(user: $0, role: .known(views.standing(group, user)))
      }
    }
  }
}
