/// The input of the use cases about a request that the caller sends.
public struct ReceiverInput: UseCaseInput {
  public var receiver: String

  public init(receiver: String) { self.receiver = receiver }

  public init(from fields: inout Fields) throws(InputError) {
    receiver = try fields.required("receiver", "Who is asked.")
  }
}
