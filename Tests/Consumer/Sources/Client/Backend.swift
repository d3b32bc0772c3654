import EventlogClient
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An identity provider that issues new tokens for a refresh token.
struct Provider: Sendable {
  /// The provider refuses the refresh token.
  struct Refusal: Error {}

  private struct Issued: Decodable {
    enum CodingKeys: String, CodingKey {
      case access = "access_token"
      case refresh = "refresh_token"
    }
    var access: String
    var refresh: String?
  }

  let url: URL

  func refresh(_ old: Tokens) async throws -> Tokens {
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.httpBody = try JSONEncoder().encode(["refresh_token": old.refresh])
    let (body, response) = try await URLSession.shared.data(for: request)
    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    if status == 400 || status == 401 { throw Refusal() }
    guard status == 200, let issued = try? JSONDecoder().decode(Issued.self, from: body) else {
      throw URLError(.badServerResponse)  // the session goes on
    }
    return Tokens(access: issued.access, refresh: issued.refresh ?? old.refresh)
  }
}

/// The app's connection to its server.
struct Backend: Sendable {
  let session: RefreshingSession
  let remote: RemoteCore

  init(
    server: URL, provider: Provider, store: any TokenStore,
    showSignIn: @escaping @Sendable () -> Void
  ) {
    session = RefreshingSession(
      store: store, refresh: { old in try await provider.refresh(old) },
      ended: { _ in showSignIn() })
    remote = RemoteCore(url: server, session: session)
  }
}

/// Returns the text that a screen shows for an error.
func message(for error: UseCaseError) -> String {
  switch error {
  case .refused(.bioTooLong(let limit, let actual)):
    "Your text has \(actual) characters; \(limit) are possible."
  case .refused(let error): "\(error)"
  case .invalidInput(let error): "\(error)"
  case .unreachable: "No connection. Try again."
  case .sessionEnded: "Sign in again."
  case .incompatible: "Update the app."
  case .cancelled: ""
  default: "The server has a problem. Try again later."
  }
}

/// A screen's button. It works with a core, with a server, and with a test double.
struct FollowButton {
  let toggle: any UseCase<ToggleFollow.Input, Bool>

  func tap(_ user: String, as caller: Caller) async -> String {
    do throws(UseCaseError) {
      return try await toggle.execute(.init(followee: user), as: caller) ? "Following" : "Follow"
    } catch {
      return message(for: error)
    }
  }
}

/// Calls `show` with a user's follow counts now, and again after each change.
func showCounts(
  of user: String, from remote: RemoteCore, as caller: Caller,
  _ show: @MainActor (GetFollowCounts.Counts) -> Void
) async throws {
  for try await counts in remote.updates(of: GetFollowCounts.self, .init(user: user), as: caller) {
    await show(counts)
  }
}

/// Sets the caller's photo and returns its address. Calls `show` with the sent part, from 0 to 1.
func upload(
  _ photo: Data, to remote: RemoteCore, as caller: Caller,
  _ show: @escaping @Sendable (Double) -> Void
) async throws(UseCaseError) -> String {
  let set = remote.useCase(UploadProfilePhoto.self, progress: show)
  return try await set.execute(.init(image: [UInt8](photo)), as: caller)
}

/// Follows many users with one HTTP request, and returns those whom the server refused.
func followAll(
  _ users: [String], with remote: RemoteCore
) async throws(UseCaseError) -> [String: UseCaseError] {
  let requests = users.map { user in
    Request("FollowUser", with: .object([.init("followee", .string(user))]))
  }
  let replies = try await remote.run(requests)
  var refused: [String: UseCaseError] = [:]
  for (user, reply) in zip(users, replies) {
    if case .failure(let error) = reply.result { refused[user] = error }
  }
  return refused
}
