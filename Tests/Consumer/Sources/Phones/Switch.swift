import EventlogClient
import Synchronization

/// A connection to a server that can be switched off.
final class Switch: OfflineServer {
  let remote: RemoteCore
  private let state = Mutex(true)

  init(_ remote: RemoteCore) { self.remote = remote }

  /// Whether requests reach the server.
  var isOn: Bool {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  private func check() throws(UseCaseError) {
    if !isOn { throw .unreachable(reason: "the connection is off") }
  }

  func perform(
    _ commands: [OutboxCommand], as user: String
  ) async throws(UseCaseError) -> [OutboxReply] {
    try check()
    return try await remote.perform(commands, as: user)
  }

  func personalLog(
    of user: String, since earlier: PersonalLog?
  ) async throws(UseCaseError) -> PersonalLog {
    try check()
    return try await remote.personalLog(of: user, since: earlier)
  }

  func perform<U: DescribedUseCase>(
    _ useCase: U.Type, _ input: U.Input, as user: String
  ) async throws(UseCaseError) -> U.Output {
    try check()
    return try await remote.perform(useCase, input, as: user)
  }

  func answers(
    to queries: [RememberedAnswer], as user: String
  ) async throws(UseCaseError) -> [RememberedAnswer?] {
    try check()
    return try await remote.answers(to: queries, as: user)
  }
}
