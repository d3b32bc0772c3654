/// The input of the use cases that are about one group.
public struct GroupReferenceInput: UseCaseInput {
  public var group: String

  public init(group: String) { self.group = group }

  public init(from fields: inout Fields) throws(InputError) {
    group = try fields.required("group", "Which group.")
  }
}
