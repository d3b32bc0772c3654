/// The input of the use cases that are about one user in a group.
public struct MemberInput: UseCaseInput {
  public var group: String
  public var user: String

  public init(group: String, user: String) {
    self.group = group
    self.user = user
  }

  public init(from fields: inout Fields) throws(InputError) {
    group = try fields.required("group", "Which group.")
    user = try fields.required("user", "Whom.")
  }
}
