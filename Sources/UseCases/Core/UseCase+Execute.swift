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

/// A use case that first reads new events, and then answers like a query.
package protocol RefreshingUseCase: DescribedUseCase {
  /// The query.
  static var query: any Query.Type { get }
}

/// A query that first reads the events that other processes on this machine appended to the log.
public struct Refresh<Q: Query>: RefreshingUseCase {
  /// The query's input.
  public typealias Input = Q.Input
  /// The query's answer.
  public typealias Output = Q.Output
  let query: Q

  package static var query: any Query.Type { Q.self }

  public static var about: About {
    var about = Q.about
    about.name = "Refresh" + about.name.dropFirst("Get".count)
    about.summary = "Read the events that others appended, then answer like \(Q.about.name)"
    return about
  }

  /// Creates the use case on a core.
  public init(_ core: Core) { query = Q(core) }

  public func execute(_ input: Q.Input, as caller: Caller) async throws(UseCaseError) -> Q.Output {
    try await query.core.performed(Call(Q.self, input, as: caller, refreshes: true)).output
  }
}
