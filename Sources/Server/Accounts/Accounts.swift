#if Server
  import EventLog
  import Events
  import Synchronization

  /// The accounts of a server: people who sign in with a password, a code, Apple or Google.
  ///
  /// It answers the addresses below `/auth/v1` like GoTrue, for Supabase's clients, and signs the
  /// access tokens that `JSONWebTokens` accepts at all other addresses. Calls run on threads of
  /// their own: those that hash passwords on one for each core, because each takes 32 MiB.
  public final class Accounts: Sendable {
    /// The settings of accounts.
    public struct Options: Sendable {
      /// The server's public address, without a slash at the end; nil if it is not known.
      public var publicURL: String?
      /// The program that sends messages; nil if none are sent. Then a sign-up is confirmed at
      /// once.
      public var mailCommand: String?
      /// The addresses of the app to which links in messages may lead. The first is the default.
      public var redirects: [String] = []
      /// The time for which an access token is valid, in seconds.
      public var tokenLifetime = 3_600
      /// Multiplies the limits for attempts; 0 switches them off.
      public var limitFactor = 1
      /// The providers whose tokens are accepted.
      public var providers: [IdentityProvider] = []
      /// The value that the header `apikey` must have; nil accepts every value.
      public var apiKey: String?
      /// The number of passwords that are hashed at once.
      public var threads = 2
      /// Receives notes for the operator, one sentence each. They contain no credential.
      public var says: @Sendable (String) -> Void = { _ in }
      /// The current time.
      public var now: @Sendable () -> Timestamp = systemTime

      /// Creates the default settings.
      public init() {}
    }

    let file: AccountFile
    let tokens: AccessTokens
    let options: Options
    let mail: MailProgram?
    let limits: AccountLimits
    let providers: Mutex<[IdentityProvider]>
    /// Threads for calls, and for work after an answer, that hash passwords.
    let slow: Workers
    /// Threads for all other calls.
    private let quick: Workers
    /// Threads for the work after an answer, whose time must not depend on it.
    let later = Workers("eventlog.accounts.later", count: 1, most: 1_000)

    /// Opens the accounts, and creates them and their signing key if they do not exist.
    /// - Parameter path: the SQLite file. The signing key is in the file with `.key` at the end.
    public init(_ path: String, _ options: Options) throws(AccountFault) {
      self.options = options
      file = try AccountFile(path)
      tokens = try AccessTokens(
        keyFile: Self.keyFile(of: path), file, issuer: (options.publicURL ?? "") + "/auth/v1",
        lifetime: options.tokenLifetime)
      mail = try options.mailCommand.map { path throws(AccountFault) in
        try MailProgram(path, says: options.says)
      }
      limits = AccountLimits(factor: options.limitFactor)
      providers = Mutex(options.providers)
      slow = Workers("eventlog.accounts.slow", count: options.threads, most: 64)
      quick = Workers("eventlog.accounts.quick", count: 2, most: 1_000)
    }

    /// Returns the path of the signing key of accounts.
    public static func keyFile(of path: String) -> String { path + ".key" }

    /// Replaces the signing key. A running server uses the new key after SIGHUP or a restart.
    /// - Parameter revokes: whether tokens of the previous key are refused from then on.
    public static func rotateKey(of path: String, revokes: Bool) throws(AccountFault) {
      let file = try AccountFile(path)
      try AccessTokens.makeKey(keyFile(of: path), replaces: true)
      if revokes { try file.dropPublicKeys() }
    }

    /// Reads the key files of Apple and Google again. If one cannot be read, all old ones stay.
    public func readProviderKeysAgain() throws(TokenKeyFault) {
      var providers = self.providers.withLock { $0 }
      for index in providers.indices { try providers[index].readKeys() }
      self.providers.withLock { $0 = providers }
    }

    /// A request to the accounts.
    struct Request: Sendable {
      var call: AccountCall
      var head: RequestHead
      var target: Target
      var body: [UInt8]

      /// The client's address, for counting attempts.
      var address: String { head.client.key }

      /// Returns the first query item with a name; nil if there is none.
      func item(_ name: String) -> String? { target.items.first { $0.name == name }?.value }
    }

    /// Answers a request, on another thread.
    func answer(_ request: Request, _ respond: @escaping @Sendable (Response) -> Void) {
      let grant = request.item("grant_type")
      let hashes =
        switch request.call {
        case .signUp, .changeUser: true
        case .token: grant == "password"
        default: false
        }
      let isTaken = (hashes ? slow : quick).run { [self] in
        do throws(AccountFault) {
          respond(try answer(request))
        } catch {
          if error.refusal == nil { options.says("the accounts failed: \(error)") }
          respond(
            error.refusal
              ?? .failure(503, "unexpected_failure", "the accounts cannot be used; try again"))
        }
      }
      if !isTaken {
        respond(.failure(503, "unexpected_failure", "too many calls wait; try again"))
      }
    }

    private func answer(_ request: Request) throws(AccountFault) -> Response {
      if let key = options.apiKey, !request.call.isPublic, request.head[.apiKey] != key {
        throw .refused(
          401, "no_authorization", "the header apikey is missing or is not this server's key")
      }
      switch request.call {
      case .signUp: return try signUp(request)
      case .token:
        switch request.item("grant_type") {
        case "password": return try signIn(request)
        case "refresh_token": return try refresh(request)
        case "id_token": return try signInByProvider(request)
        default:
          throw .invalid("grant_type must be password, refresh_token or id_token")
        }
      case .user: return .json(try signedIn(request).account.json)
      case .changeUser: return try changeUser(request)
      case .logOut: return try logOut(request)
      case .sendCode: return try sendCode(request)
      case .recover: return try recover(request)
      case .resend: return try resend(request)
      case .verify: return try verify(request)
      case .verifyLink: return try verifyLink(request)
      case .keys: return keys()
      case .settings: return .json(settings)
      case .health:
        return .json(
          .of(["name": .string("eventlog"), "description": .string("Accounts of eventlog serve")]))
      }
    }

    private func keys() -> Response {
      var response = Response.json(tokens.keySet(now: options.now()))
      response.headers = [
        ("Content-Type", "application/json"), ("Cache-Control", "public, max-age=600"),
      ]
      return response
    }

    private var settings: JSONValue {
      let names = Set(providers.withLock { $0 }.map(\.name))
      return .of([
        "external": .of([
          "email": .bool(true), "phone": .bool(false), "anonymous_users": .bool(false),
          "apple": .bool(names.contains("apple")), "google": .bool(names.contains("google")),
        ]),
        "disable_signup": .bool(false), "mailer_autoconfirm": .bool(mail == nil),
        "phone_autoconfirm": .bool(false), "sms_provider": .string(""),
        "saml_enabled": .bool(false),
      ])
    }
  }
#endif
