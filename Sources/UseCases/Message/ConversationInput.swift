/// The input of the use cases that are about the conversation with one user.
public struct ConversationInput: UseCaseInput {
  public var with: String

  public init(with: String) { self.with = with }

  public init(from fields: inout Fields) throws(InputError) {
    with = try fields.required("with", "With whom.")
  }
}
