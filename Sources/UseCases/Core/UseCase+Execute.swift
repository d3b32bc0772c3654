extension Query {
  public func execute(_ input: Input, as caller: Caller) async throws(UseCaseError) -> Output {
    try await core.performed(Call(Self.self, input, as: caller)).output
  }
}

extension Command {
  public func execute(_ input: Input, as caller: Caller) async throws(UseCaseError) -> Output {
    try await core.performed(Call(self, input, as: caller)).output
  }
}

/// Reads what other writers have appended to the same log on this machine, then runs the query.
public struct Refresh<Q: Query>: UseCase {
  public typealias Input = Q.Input
  public typealias Output = Q.Output
  let query: Q

  public init(_ core: Core) { query = Q(core) }

  public func execute(_ input: Q.Input, as caller: Caller) async throws(UseCaseError) -> Q.Output {
    try await query.core.performed(Call(Q.self, input, as: caller, refreshes: true)).output
  }
}
