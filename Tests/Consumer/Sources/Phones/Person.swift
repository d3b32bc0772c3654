import EventlogClient
import Foundation

/// A person with a phone.
struct Person: Sendable {
  let user: String
  let connection: Switch
  /// The path of the phone's folder.
  let folder: String
  let phone: OfflineStore

  /// Opens an account on the server, and a phone that has synced.
  init(_ user: String, tokenFile: String, _ server: URL, in folder: URL) async throws {
    let token = try String(contentsOfFile: tokenFile, encoding: .utf8)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    let remote = RemoteCore(url: server, session: StaticSession(token: token))
    _ = try await remote.useCase(CreateProfile.self).execute(
      .init(user: user, handle: user + "_x"), as: Caller(user))
    self.user = user
    connection = Switch(remote)
    self.folder = folder.appending(path: user).path
    phone = try await OfflineStore(self.folder, server: connection, of: user)
    try await phone.sync()
  }

  /// Performs a use case on the phone.
  @discardableResult
  func perform<U: DescribedUseCase>(
    _ useCase: U.Type, _ input: U.Input
  ) async throws(UseCaseError) -> U.Output {
    try await phone.useCase(useCase).execute(input, as: Caller(user))
  }

  func goOffLine() {
    connection.isOn = false
    print("\(user) is off line")
  }

  func goOnLine() {
    connection.isOn = true
    print("\(user) is on line")
  }

  /// Syncs, and shows and dismisses the outcomes.
  func sync() async throws(UseCaseError) {
    try await phone.sync()
    let outcomes = phone.outcomes
    for outcome in outcomes {
      print("\(user): \(outcome.name) \(outcome.kind.rawValue)")
      if let error = outcome.error { print("  \(error.code): \(error)") }
      for advice in outcome.advice { print("  advice: \(advice)") }
      try phone.dismiss(outcome.id)
    }
    if !outcomes.isEmpty {
      print("\(user): \(outcomes.count) dismissed, \(phone.outcomes.count) kept")
    }
  }
}

extension CommandOutcome {
  /// The sentences in the explanation that say what the person could do.
  var advice: [String] {
    guard case .array(let items)? = explanation?["advice"] else { return [] }
    return items.compactMap { item -> String? in
      guard case .string(let text) = item else { return nil }
      return text
    }
  }
}
