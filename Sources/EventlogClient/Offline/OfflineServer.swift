import Foundation
import PersonalLogs
import UseCases

/// A server to which a phone sends its commands, and from which it fetches its personal log. A test
/// can replace it.
public protocol OfflineServer: Sendable {
  /// Performs the commands of an outbox in order, each once.
  /// - Returns: an answer to each command, in the same order; fewer if the server must stop before.
  /// - Throws: `unreachable` if no answer arrives; the server may have performed the commands.
  func perform(
    _ commands: [OutboxCommand], as user: String
  ) async throws(UseCaseError) -> [OutboxReply]
  /// Returns the personal log of a user.
  func personalLog(
    of user: String, since earlier: PersonalLog?
  ) async throws(UseCaseError) -> PersonalLog
  /// Performs a use case that the phone cannot perform.
  func perform<U: DescribedUseCase>(
    _: U.Type, _ input: U.Input, as user: String
  ) async throws(UseCaseError) -> U.Output
  /// Returns the present answer to each query, in the same order; nil if the server refuses it now.
  func answers(
    to queries: [RememberedAnswer], as user: String
  ) async throws(UseCaseError) -> [RememberedAnswer?]
}

extension RemoteCore: OfflineServer {
  /// Performs the commands of an outbox in order, each once: `POST /v1/outbox`.
  public func perform(
    _ commands: [OutboxCommand], as user: String
  ) async throws(UseCaseError) -> [OutboxReply] {
    let lines = commands.map { $0.json.text + "\n" }.joined()
    let body = try await answer(
      RemoteCall(path: "v1/outbox", body: Data(lines.utf8), type: "application/x-ndjson"),
      as: .caller(Caller(user)))
    return try body.split(separator: UInt8(ascii: "\n")).map { (line) throws(UseCaseError) in
      guard let json = try? JSONValue(object: Array(line)), let reply = OutboxReply(json) else {
        throw .incompatible(reason: "a line of the answer is no answer to a command")
      }
      return reply
    }
  }

  public func perform<U: DescribedUseCase>(
    _ useCase: U.Type, _ input: U.Input, as user: String
  ) async throws(UseCaseError) -> U.Output {
    try await self.useCase(useCase).execute(input, as: Caller(user))
  }

  public func answers(
    to queries: [RememberedAnswer], as user: String
  ) async throws(UseCaseError) -> [RememberedAnswer?] {
    let replies = try await run(queries.map { Request($0.name, with: $0.input) })
    return zip(queries, replies).map { query, reply in
      var new = query
      switch reply.result {
      case .success(let answer): (new.answer, new.time) = (answer, DateTime.now.instant)
      case .failure(.refused): return nil
      case .failure: break  // The server is busy: the last answer stays.
      }
      return new
    }
  }
}
