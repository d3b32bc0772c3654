/// The input of the use cases about a request that the caller received.
public struct SenderInput: UseCaseInput {
  public var sender: String

  public init(sender: String) { self.sender = sender }

  public init(from fields: inout Fields) throws(InputError) {
    sender = try fields.required("sender", "Who asked.")
  }
}
