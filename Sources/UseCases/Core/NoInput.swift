/// The input of use cases without fields.
public struct NoInput: UseCaseInput {
  public init() {}
  public init(from fields: inout Fields) throws(InputError) {}
}
