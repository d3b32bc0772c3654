#if Server
  import EventlogClient
  import Foundation
  import Server
  import Synchronization
  import UseCasesTesting

  /// A server in this process, on a free port of loopback, with a log in memory.
  final class TestServer: Sendable {
    let core: Core
    let log: InMemoryLog
    let tokens = TestTokens()
    let service: Service
    let listener: Listener
    private let following: Task<Void, Never>

    init(
      rules: Rules = .climb, environment: RuntimeEnvironment = .system,
      bounds: (inout Bounds) -> Void = { _ in }
    ) async throws {
      log = InMemoryLog(environment)
      core = try await Core(log, rules: rules, environment: environment)
      var options = Service.Options()
      options.bounds.requestsPerSecond = 0
      options.now = environment.now
      bounds(&options.bounds)
      service = Service(
        core, log: nil, logFolder: nil,
        photos: PhotoPorts(storage: NoPhotos(), encoder: PassThroughEncoder()), photoFolder: "",
        tokens: tokens, options: options, digest: { Self.digest($0) })
      listener = try Listener(service, host: "127.0.0.1", port: 0)
      following = Task { [service] in await service.follow() }
    }

    var url: URL { URL(string: "http://127.0.0.1:\(listener.port)")! }

    /// Creates profiles.
    func people(_ users: String...) async throws {
      for user in users {
        _ = try await CreateProfile(core).execute(
          .init(user: user, handle: user + "_x"), as: Caller(user))
      }
    }

    func remote(
      as user: String, port: UInt16? = nil, _ change: (inout RemoteCore.Options) -> Void = { _ in }
    ) -> RemoteCore {
      var options = RemoteCore.Options()
      options.firstPause = .milliseconds(5)
      options.longestPause = .milliseconds(100)
      change(&options)
      return RemoteCore(
        url: URL(string: "http://127.0.0.1:\(port ?? listener.port)")!,
        session: StaticSession(token: tokens.make(user)), options: options)
    }

    /// Ends the server, after the requests under way.
    func end() async {
      listener.quiesce()
      service.end()
      following.cancel()
      for _ in 0..<2_000 where service.underWay > 0 {
        try? await Task.sleep(for: .milliseconds(5))
      }
      if service.underWay == 0 { listener.stop() }
    }

    private static func digest(_ bytes: [UInt8]) -> [UInt8] {
      // Two hashes with different seeds: 16 bytes, enough for a test.
      [UInt64(1), 2].flatMap { seed in
        let hash = XXH64.hash(bytes, seed: seed)
        return (0..<8).map { UInt8(truncatingIfNeeded: hash >> (8 * $0)) }
      }
    }
  }

  /// Tokens that look like JSON Web Tokens, without a signature. A test can revoke them.
  final class TestTokens: Authenticator {
    private let state = Mutex((revoked: Set<String>(), made: 0))

    func make(_ user: String, expires: Timestamp = .latest) -> String {
      let number = state.withLock { state in
        state.made += 1
        return state.made
      }
      let service = user.hasPrefix("service:")
      let claims =
        service
        ? #"{"sub":"\#(user.dropFirst(8))","role":"service","n":\#(number)}"#
        : #"{"sub":"\#(user)","exp":"\#(expires)","n":\#(number)}"#
      let text = Data(claims.utf8).base64EncodedString().replacing("+", with: "-")
        .replacing("/", with: "_").replacing("=", with: "")
      return "e30.\(text).x"
    }

    func revoke(_ token: String) { state.withLock { _ = $0.revoked.insert(token) } }

    func session(_ token: String, now: Timestamp) throws(TokenFault) -> Server.Session {
      if state.withLock({ $0.revoked.contains(token) }) { throw .hasExpired }
      var text = token.split(separator: ".").dropFirst().first.map(String.init) ?? ""
      text = text.replacing("-", with: "+").replacing("_", with: "/")
      text += String(repeating: "=", count: (4 - text.count % 4) % 4)
      guard let data = Data(base64Encoded: text), let claims = try? JSONValue(object: data),
        case .string(let user)? = claims["sub"]
      else { throw TokenFault("this is no token") }
      var expires = Timestamp.latest
      if case .string(let text)? = claims["exp"], let time = Timestamp(text) { expires = time }
      if expires <= now { throw .hasExpired }
      return Server.Session(
        caller: claims["role"] == .string("service") ? .service(user) : Caller(user),
        expires: expires)
    }
  }
#endif
