#if Server
  import Server
#endif

extension Subcommand {
  static let serve = Subcommand(
    name: "serve", summary: "Serve a log over HTTP: commands, queries, live updates, photos",
    discussion: """
      Every use case has an address: POST /v1/do/FollowUser with the input as JSON, GET \
      /v1/do/GetFollowCounts?user=bob for queries, and GET /v1/updates/… for a query's answer, \
      sent again after each change as Server-Sent Events. /v1/openapi.json describes all of them.

      A JSON Web Token of your identity provider names the caller: its sub is the user, and the \
      claim role: service makes the caller a service. The key file is a secret (HS256), a public \
      key as PEM (RS256 or ES256), or a set of keys (JWKS). If --token-key is given twice, both \
      keys are accepted; SIGHUP reads the files again. For TLS, put a proxy in front: \
      docs/server.md has a tested configuration.

      Servers on clones of one log shared on PostgreSQL agree which of them appends; the others \
      pass commands to it: see docs/server.md for more.

      With --take-over, a server takes over from the server of the same log, so that an upgrade \
      stops nobody: it first prepares its checkpoints in the background, then gets the other one's \
      listening socket. Clients wait for a fraction of a second: see docs/operations.md for more.

      If systemd passes a socket (LISTEN_FDS), the server uses that one.

      When the server is ready, it prints its address to standard error. On SIGTERM or Ctrl-C it \
      answers the requests in progress, saves a checkpoint and exits with 0.

      Only builds with the package trait Server have this command: swift build -c release --traits \
      Server, with libmicrohttpd-dev, libjwt-dev, libssl-dev, libsqlite3-dev and \
      libcurl4-openssl-dev.
      """,
    options: [
      .log,
      .value(
        "--listen", "ADDRESS:PORT",
        "The address to listen on; 127.0.0.1:8080 if not given. Port 0 chooses a free port."),
      .flag("--take-over", "Take over from the server of this log, if there is one."),
      .value(
        "--token-key", "FILE",
        "A file with the key that tokens are signed with; at most two files.",
        repeats: true),
      .value("--token-audience", "A", "The required aud of a token."),
      .value("--token-issuer", "I", "The required iss of a token."),
      .flag("--insecure-users", "The header X-User names the caller; for loopback addresses only."),
      .rules,
      .value(
        "--photos", "FOLDER",
        "The folder of the photos; the folder photos in the log if not given."),
      .value(
        "--public-url", "URL", "The start of photos' addresses, such as https://api.example.org."),
      .value(
        "--cors", "ORIGIN",
        "The origin whose pages may call from a browser: https://app.example.org, or *."),
      .flag(
        "--supabase",
        "Also serve Supabase's clients at /rest/v1 and /storage/v1: see docs/supabase.md for all."),
      .value("--api-key", "KEY", "The apikey that Supabase's clients must send; any if not given."),
      .flag("--no-tables", "With --supabase: do not serve /rest/v1."),
      .flag("--no-storage", "With --supabase: only the storage of the climbing app."),
      .value(
        "--accounts", "FILE",
        "With --supabase: people sign in at /auth/v1; an SQLite file, created if missing."),
      .value(
        "--token-lifetime", "SECONDS",
        "The time for which an access token of --accounts is valid; 3600 if not given."),
      .value(
        "--mail-command", "PROGRAM",
        "A program that sends the message on its standard input, such as a script of sendmail -t."),
      .value(
        "--redirect-url", "URL", "An address of the app to which links in messages may lead.",
        repeats: true),
      .value(
        "--apple-audience", "ID", "Accept tokens of Sign in with Apple for this app.",
        repeats: true),
      .value("--apple-keys", "FILE", "The public keys of Apple (JWKS)."),
      .value(
        "--google-audience", "ID", "Accept tokens of Google for this OAuth client.",
        repeats: true),
      .value("--google-keys", "FILE", "The public keys of Google (JWKS)."),
      .value(
        "--account-limits", "N",
        "Multiplies the limits for sign-ins and the like; 1 if not given, 0 for no limits."),
      .value(
        "--trusted-proxy", "NETWORK",
        "A proxy whose X-Forwarded-For names the client: 127.0.0.1, or a network like 10.0.0.0/8.",
        repeats: true),
      .flag("--log-requests", "Print a line of JSON per request to standard error."),
      .flag(
        "--refusals", "Keep a journal of refused commands beside the log: 'eventlog refusals'."),
      .flag(
        "--record-correlation",
        "Events record X-Request-ID, else the trace id of traceparent; see 'log --correlation'."),
      .value(
        "--requests-per-second", "N", "The maximum per user; 100 if not given, 0 for no limit."),
      .value("--connections", "N", "The maximum number of connections; 10000 if not given."),
      .value(
        "--connections-per-address", "N",
        "The maximum per address; 200, not for this machine, if not given; 0 for no limit."),
      .value(
        "--idle-timeout", "SECONDS", "Close idle connections after this time; 30 if not given."),
      .value(
        "--queue", "N", "The maximum number of commands that wait to be durable; 4096 if not given."
      ),
      .value("--streams", "N", "The maximum number of open event streams; 10000 if not given."),
      .value(
        "--threads", "N", "The number of threads that serve connections; one per core if not given."
      ),
      .value(
        "--peer-listen", "ADDRESS:PORT",
        "Where other servers of a shared log reach this one; 127.0.0.1, a free port if not given."
      ),
      .value(
        "--peer-url", "URL",
        "The address for other servers, such as http://10.0.0.5:9000, if it is another one."),
      .value(
        "--stop-timeout", "SECONDS",
        "How long SIGTERM waits for requests in progress; 10 if not given."),
      .unknown, .cold,
    ],
    examples: [
      "eventlog serve --log my.log --token-key secret.key":
        "For clients with tokens of an identity provider.",
      "eventlog serve --log my.log --insecure-users --listen 127.0.0.1:0":
        "To try it: curl -H 'X-User: alice' …",
    ],
    run: { try await runServe($0) })
}

#if Server
  private func runServe(_ invocation: Invocation) async throws {
    var (place, predecessor) = try await place(invocation)
    let supabase = try supabase(invocation)
    let accounts = try invocation.accounts()
    let tokens = try authenticator(invocation, place.host, accounts)
    var options = Service.Options()
    options.bounds = try bounds(invocation)
    options.cors = try origin(invocation)
    options.publicURL = try publicURL(invocation)
    options.supabase = supabase
    options.accounts = accounts
    options.readsRequestIDs =
      invocation.flag("--refusals") || invocation.flag("--record-correlation")
    options.trustedProxies = TrustedProxies(
      try trustedNetworks(invocation), says: { Output.remark($0) })
    options.trustsUserHeader = invocation.flag("--insecure-users")
    if invocation.flag("--log-requests") { options.requestLog = { Output.error($0 + "\n") } }
    let patience = try invocation.int("--stop-timeout", default: 10, in: 0...3_600)
    let peers = try peers(invocation)
    Signals.take()
    let path = try invocation.writePath()
    if let other = predecessor {
      let taken = try await other.takeOver(
        of: path, patience: patience + 20, isStopped: { Signals.shouldStop },
        fault: { failure($0) }, prepare: invocation.prepareTakeOver)
      if taken == nil, Signals.shouldStop { return }
      if let taken { place = ListeningPlace(taken.socket) }
      predecessor = taken?.from
    }
    // After each rewriting of the log, opens it again and serves it with a new core.
    while true {
      let next = try await serveOnce(
        invocation, &place, after: predecessor, tokens, options, peers, patience: patience)
      predecessor = nil
      if !next {
        await accounts?.finish(patience: patience)
        return
      }
    }
  }

  /// Opens the log and serves it until a signal asks to stop, another server takes over, or the log
  /// was rewritten.
  /// - Returns: whether to serve the log again.
  private func serveOnce(
    _ invocation: Invocation, _ place: inout ListeningPlace, after predecessor: Predecessor?,
    _ tokens: JSONWebTokens?, _ options: Service.Options, _ peers: PeerAddress, patience: Int
  ) async throws -> Bool {
    let path = try invocation.writePath()
    let environment = RuntimeEnvironment.steady { Output.remark($0) }
    let (core, log) = try await invocation.openCoreAndLog(environment: environment) {
      var tracing = Tracing()
      tracing.recordsCorrelation = invocation.flag("--record-correlation")
      if invocation.flag("--refusals") { tracing.refusals = try RefusalJournal(log: path) }
      return tracing
    }
    let folder = invocation.value("--photos") ?? path + "/photos"
    let photos = PhotoPorts(
      storage: PhotoFolder(folder, baseURL: "/storage/v1/object/public/"),
      encoder: defaultPhotoEncoder())
    return try await served { () throws(Listener.Fault) in
      try await Listener.serve(
        core, log, in: path, photos: photos, photoFolder: folder, tokens: tokens,
        options: options, at: &place, peers: peers, after: predecessor, patience: patience,
        isStopped: { Signals.shouldStop }, tick: { readKeysIfAsked(tokens, options.accounts) },
        says: { Output.remark($0) })
    }
  }

  /// Returns a fault as an exit with 74.
  private func failure(_ fault: Listener.Fault) -> Failure { Failure(.inputOutput, fault.message) }

  /// Returns the result of `body`; throws its fault as `failure` returns it.
  private func served<Result>(
    _ body: () async throws(Listener.Fault) -> Result
  ) async throws(Failure) -> Result {
    do throws(Listener.Fault) {
      return try await body()
    } catch {
      throw failure(error)
    }
  }

  /// Returns where to listen, and the server to take over from, if there is one.
  private func place(
    _ invocation: Invocation
  ) async throws -> (ListeningPlace, Predecessor?) {
    let given = invocation.value("--listen")
    let (host, port) = try listenAddress(given ?? "127.0.0.1:8080")
    func check(_ other: (host: String, port: UInt16), _ name: String) throws(Failure) {
      guard given != nil, host != other.host || port != 0 && port != other.port else { return }
      throw .usage("--listen differs from \(name), which is \(other.host):\(other.port)")
    }
    if let socket = try await served({ () throws(Listener.Fault) in
      try ListeningSocket.activated()
    }) {
      if invocation.flag("--take-over") {
        throw Failure.usage("--take-over cannot be used with a socket that systemd passes")
      }
      try check((socket.host, socket.port), "the socket that systemd passes")
      return (ListeningPlace(socket), nil)
    }
    let place = ListeningPlace(host: host, port: port)
    guard invocation.flag("--take-over") else { return (place, nil) }
    let path = try invocation.checkTakeOver()
    let predecessor = try await served { () throws(Listener.Fault) in
      try await Predecessor.find(of: path)
    }
    guard let predecessor else { return (place, nil) }
    try check((predecessor.host, predecessor.port), "the address of the other server")
    return (ListeningPlace(host: predecessor.host, port: predecessor.port), predecessor)
  }

  private func supabase(_ invocation: Invocation) throws(Failure) -> Supabase? {
    guard invocation.flag("--supabase") else {
      for option in ["--no-tables", "--no-storage"] where invocation.flag(option) {
        throw .usage("\(option) needs --supabase")
      }
      for option in ["--api-key", "--accounts"] where invocation.value(option) != nil {
        throw .usage("\(option) needs --supabase")
      }
      return nil
    }
    var supabase = Supabase()
    supabase.hasTables = !invocation.flag("--no-tables")
    supabase.hasStorage = !invocation.flag("--no-storage")
    supabase.apiKey = invocation.value("--api-key")
    return supabase
  }

  private func readKeysIfAsked(_ tokens: JSONWebTokens?, _ accounts: Accounts?) {
    guard Signals.takeReload() else { return }
    do throws(TokenKeyFault) {
      try tokens?.readKeysAgain()
      try accounts?.readProviderKeysAgain()
      Output.remark("the token keys were read again")
    } catch {
      Output.remark("\(error.message); the previous keys stay in use")
    }
  }

  private func authenticator(
    _ invocation: Invocation, _ host: String, _ accounts: Accounts?
  ) throws(Failure) -> JSONWebTokens? {
    let paths = invocation.values("--token-key")
    if invocation.flag("--insecure-users") {
      guard paths.isEmpty else {
        throw .usage("--insecure-users and --token-key cannot be used together")
      }
      if invocation.value("--cors") == "*" {
        throw .usage("--insecure-users with --cors '*' would let any page act as anybody")
      }
      guard Listener.isLoopback(host) else {
        throw .usage("--insecure-users is for loopback addresses such as 127.0.0.1, not \(host)")
      }
      return nil
    }
    guard (accounts == nil ? 1...2 : 0...2).contains(paths.count) else {
      throw .usage(
        paths.isEmpty
          ? "serve needs --token-key FILE, or --supabase --accounts FILE, or, to try it on this "
            + "machine, --insecure-users"
          : "--token-key may be given twice, not \(paths.count) times; a JWKS file holds any number"
      )
    }
    do throws(TokenKeyFault) {
      return try JSONWebTokens(
        paths: paths, audience: invocation.value("--token-audience"),
        issuer: invocation.value("--token-issuer"), accounts: accounts)
    } catch {
      throw .usage("--token-key: \(error.message)")
    }
  }

  private func bounds(_ invocation: Invocation) throws(Failure) -> Bounds {
    var bounds = Bounds()
    bounds.requestsPerSecond = try invocation.int(
      "--requests-per-second", default: bounds.requestsPerSecond, in: 0...1_000_000)
    bounds.connections = try invocation.int(
      "--connections", default: bounds.connections, in: 1...1_000_000)
    bounds.connectionsPerAddress = try invocation.int(
      "--connections-per-address", default: bounds.connectionsPerAddress, in: 0...1_000_000)
    bounds.countsLoopback = invocation.value("--connections-per-address") != nil
    bounds.idleSeconds = try invocation.int(
      "--idle-timeout", default: bounds.idleSeconds, in: 1...86_400)
    bounds.queue = try invocation.int("--queue", default: bounds.queue, in: 1...1_000_000)
    bounds.streams = try invocation.int("--streams", default: bounds.streams, in: 0...1_000_000)
    bounds.streamsPerUser = min(bounds.streamsPerUser, max(bounds.streams, 1))
    bounds.threads = try invocation.int("--threads", default: coreCount(), in: 1...64)
    return bounds
  }

  private func trustedNetworks(_ invocation: Invocation) throws(Failure) -> [IPNetwork] {
    try invocation.values("--trusted-proxy").map { text throws(Failure) in
      guard let network = IPNetwork(text) else {
        throw .usage(
          "--trusted-proxy takes an address such as 127.0.0.1, or a network such as 10.0.0.0/8 "
            + "without bits after the prefix, not \(quoted(text))")
      }
      return network
    }
  }

  private func peers(_ invocation: Invocation) throws(Failure) -> PeerAddress {
    var peers = PeerAddress()
    if let text = invocation.value("--peer-listen") {
      (peers.host, peers.port) = try listenAddress(text, "--peer-listen")
    }
    if var url = invocation.value("--peer-url") {
      guard url.hasPrefix("https://") || url.hasPrefix("http://") else {
        throw .usage("--peer-url takes an address such as http://10.0.0.5:9000")
      }
      if url.hasSuffix("/") { url.removeLast() }
      peers.url = url
    }
    return peers
  }

  /// Parses `127.0.0.1:8080`, `[::1]:0` or `localhost:8080`.
  private func listenAddress(
    _ text: String, _ option: String = "--listen"
  ) throws(Failure) -> (host: String, port: UInt16) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...])
    else { throw .usage("\(option) takes an address and a port such as 127.0.0.1:8080") }
    var host = String(text[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    return (host == "localhost" ? "127.0.0.1" : host, port)
  }

  private func origin(_ invocation: Invocation) throws(Failure) -> String? {
    guard let origin = invocation.value("--cors") else { return nil }
    let isOrigin =
      origin == "*"
      || (origin.hasPrefix("https://") || origin.hasPrefix("http://"))
        && origin.split(separator: "/", omittingEmptySubsequences: false).count == 3
        && origin.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    guard isOrigin else {
      throw .usage(
        "--cors takes an origin such as https://app.example.org, or *, not \(quoted(origin))")
    }
    return origin
  }

  /// Returns the address in `--public-url`, at which clients reach the server; nil if not given.
  func publicURL(_ invocation: Invocation) throws(Failure) -> String? {
    guard var url = invocation.value("--public-url") else { return nil }
    guard url.hasPrefix("https://") || url.hasPrefix("http://") else {
      throw .usage("--public-url takes an address such as https://api.example.org")
    }
    if url.hasSuffix("/") { url.removeLast() }
    return url
  }
#else
  private func runServe(_ invocation: Invocation) async throws {
    throw Failure(.usage, withoutServer)
  }
#endif
