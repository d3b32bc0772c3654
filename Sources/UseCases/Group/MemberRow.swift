import Events
import Projections

/// A member of a group.
public struct MemberRow: Answer {
  public var user: ProfileRow
  /// `owner`, `admin` or `member`.
  public var role: Groups.Standing

  public var json: JSONValue {
    let role = JSONValue.string(role.name)
    guard case .object(let members) = user.json else { return .object(["role": role]) }
    return .object(members + [.init("role", role)])
  }
}
