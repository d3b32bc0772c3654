/// The input of use cases that take none.
public struct NoInput: UseCaseInput {
  public init() {}
  public init(from fields: inout Fields) throws(InputError) {}
}
