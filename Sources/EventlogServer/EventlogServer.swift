#if Server
  @_exported import Aggregates
  @_exported import Events
  @_exported import Projections
  import Server
  @_exported import UseCases

  /// An HTTP server for a log, with an app's own events, projections and use cases.
  ///
  ///     var server = EventlogServer(log: "gym.log", rules: .climb)
  ///     server.add(Visits.self)
  ///     server.add(CheckIn.self)
  ///     server.tokenKeys = ["secret.key"]
  ///     await server.runOrExit()  // until SIGTERM or Ctrl-C
  ///
  /// It serves the same addresses as `eventlog serve` (`docs/server.md`). It serves the app's use
  /// cases like the core's: at `/v1/do/gymapp.CheckIn` and `/v1/updates/…`, in `/v1/run`, as of
  /// past revisions, and in the OpenAPI document.
  public struct EventlogServer: Sendable {
    /// The reason why a server cannot run.
    public struct Fault: Error, CustomStringConvertible, Sendable {
      /// A sentence for the operator.
      public var message: String
      /// The same sentence as `message`.
      public var description: String { message }
    }

    /// The log's folder. If there is no log, the server creates an empty one.
    public var log: String
    /// The log's rules; nil means the rules that the log records. An empty log records these rules.
    public var rules: Rules?
    /// The shared log, if `log` is a clone. Needed only if the shared log is not a folder.
    public var remote: (any RemoteLog)?
    /// An IPv4 or IPv6 address of this machine, such as `127.0.0.1` or `::1`.
    public var host = "127.0.0.1"
    /// The port on which the server listens; 0 uses a free port.
    public var port: UInt16 = 8080
    /// Whether to take over from the server of the same log, if one runs: this server prepares its
    /// checkpoints and gets the other one's listening socket. Clients wait for a fraction of a
    /// second.
    public var takesOver = false
    /// One or two files with keys for checking tokens: a secret, a public key as PEM, or a JWKS.
    public var tokenKeys: [String] = []
    /// The value that a token's `aud` must be or contain; nil skips the check.
    public var tokenAudience: String?
    /// The value that a token's `iss` must be; nil skips the check.
    public var tokenIssuer: String?
    /// Whether the header `X-User` names the caller, instead of a token. Allowed only for a
    /// loopback address.
    public var trustsUserHeader = false
    /// The proxies whose header `X-Forwarded-For` names the client: addresses such as `127.0.0.1`,
    /// and networks such as `10.0.0.0/8`.
    public var trustedProxies: [String] = []
    /// The origin whose web pages may call the server; nil allows none.
    public var cors: String?
    /// The server's public address, such as `https://api.example.org`; photo addresses start with
    /// it.
    public var publicURL = ""
    /// The photo folder; nil uses the folder `photos` in the log's folder.
    public var photos: String?
    /// The limits for clients.
    public var bounds = Bounds()
    /// The seconds for which the server waits for requests under way after SIGTERM.
    public var stopTimeout = 10
    /// Receives notes for the operator, one sentence each. The default writes to standard error.
    public var says: @Sendable (String) -> Void = { StopSignal.say("eventlog: \($0)") }

    /// The core's projections, and the app's event types that these projections list.
    public private(set) var catalogue = Catalogue.standard
    /// The core's use cases, and the use cases that the app added.
    public private(set) var useCases = UseCaseList.standard

    /// Creates a server for a log's folder.
    public init(log: String, rules: Rules? = nil) { (self.log, self.rules) = (log, rules) }

    /// Adds a projection, and the event types that it lists in `appEvents`.
    /// - Precondition: see `Catalogue.adding`.
    public mutating func add<P: ExplainedProjection>(_ projection: P.Type) {
      catalogue = catalogue.adding(projection)
    }

    /// Adds a command.
    /// - Precondition: see `UseCaseList.adding`.
    public mutating func add<C: Command>(_ command: C.Type) { useCases = useCases.adding(command) }

    /// Adds a query.
    /// - Precondition: see `UseCaseList.adding`.
    public mutating func add<Q: Query>(_ query: Q.Type) { useCases = useCases.adding(query) }

    // MARK: Running

    /// Serves the log until SIGTERM or Ctrl-C. Opens the log again after each rewriting.
    /// - Throws: `Fault` if the log, the keys or the address cannot be used.
    public func run() async throws(Fault) {
      do throws(Listener.Fault) {
        var (place, predecessor) = try await place()
        let tokens = try authenticator(place.host)
        let proxies = try proxies()
        StopSignal.take()
        if let other = predecessor {
          let taken = try await other.takeOver(
            of: log, patience: stopTimeout + 20, isStopped: { StopSignal.isGiven }, fault: { $0 },
            prepare: prepareTakeOver)
          if taken == nil, StopSignal.isGiven { return }
          if let taken { place = ListeningPlace(taken.socket) }
          predecessor = taken?.from
        }
        while try await serveOnce(tokens, proxies, &place, after: predecessor) {
          predecessor = nil
        }
      } catch {
        throw Fault(message: error.message)
      }
    }

    /// Returns where to listen, and the server to take over from, if there is one.
    private func place() async throws(Listener.Fault) -> (ListeningPlace, Predecessor?) {
      if let socket = try ListeningSocket.activated() { return (ListeningPlace(socket), nil) }
      guard takesOver, let predecessor = try await Predecessor.find(of: log) else {
        return (ListeningPlace(host: host, port: port), nil)
      }
      return (ListeningPlace(host: predecessor.host, port: predecessor.port), predecessor)
    }

    private func prepareTakeOver() async throws(Listener.Fault) {
      do throws(LogError) {
        try await Core.saveCheckpoints(
          nearEndOf: log, catalogue: catalogue, isStopped: { StopSignal.isGiven })
      } catch {
        throw Listener.Fault(message: "\(error)")
      }
    }

    /// Does the same as `run`, but reports a fault and ends the process with exit code 64.
    public func runOrExit() async {
      do throws(Fault) {
        try await run()
      } catch {
        says(error.message)
        StopSignal.exit(64)
      }
    }

    /// - Parameter host: the address at which the server listens, which may be that of a socket
    ///   from another process.
    private func authenticator(_ host: String) throws(Listener.Fault) -> JSONWebTokens? {
      if trustsUserHeader {
        guard tokenKeys.isEmpty, Listener.isLoopback(host), cors != "*" else {
          throw Listener.Fault(
            message: "trustsUserHeader requires a loopback address, no tokenKeys, and cors other "
              + "than *")
        }
        return nil
      }
      guard (1...2).contains(tokenKeys.count) else {
        throw Listener.Fault(message: "set tokenKeys to one or two files, or set trustsUserHeader")
      }
      do throws(TokenKeyFault) {
        return try JSONWebTokens(paths: tokenKeys, audience: tokenAudience, issuer: tokenIssuer)
      } catch {
        throw Listener.Fault(message: error.message)
      }
    }

    private func proxies() throws(Listener.Fault) -> TrustedProxies {
      let networks = try trustedProxies.map { text throws(Listener.Fault) in
        guard let network = IPNetwork(text) else {
          throw Listener.Fault(
            message: "trustedProxies: \(text) is neither an address nor a network such as "
              + "10.0.0.0/8")
        }
        return network
      }
      return TrustedProxies(networks, says: says)
    }

    private func opened() async throws(LogError) -> FileLog {
      guard let address = try Clone.address(of: log) else {
        let file = try FileLog(path: log, creating: true)
        try file.beginFirstSegment()
        return file
      }
      let remote: any RemoteLog
      if let given = self.remote {
        remote = given
      } else {
        remote = try FolderRemote(path: address)
      }
      return try await .open(clone: log, of: remote)
    }

    /// Opens and serves the log once.
    /// - Returns: whether the log was rewritten and must be served again.
    private func serveOnce(
      _ tokens: JSONWebTokens?, _ proxies: TrustedProxies, _ place: inout ListeningPlace,
      after predecessor: Predecessor?
    ) async throws(Listener.Fault) -> Bool {
      let (core, file): (Core, FileLog)
      do throws(LogError) {
        file = try await opened()
        if let recovery = file.recovery { says("recovered: \(recovery)") }
        core = try await .open(
          file, rules: rules, catalogue: catalogue, useCases: useCases,
          environment: .steady(report: says))
      } catch {
        throw Listener.Fault(message: "\(error)")
      }
      let folder = photos ?? log + "/photos"
      let prefix = publicURL.hasSuffix("/") ? String(publicURL.dropLast()) : publicURL
      let ports = PhotoPorts(
        storage: PhotoFolder(folder, baseURL: prefix + "/storage/v1/object/public/"),
        encoder: defaultPhotoEncoder())
      var options = Service.Options()
      options.bounds = bounds
      options.cors = cors
      options.trustedProxies = proxies
      options.trustsUserHeader = trustsUserHeader
      return try await Listener.serve(
        core, file, in: log, photos: ports, photoFolder: folder, tokens: tokens,
        options: options, at: &place, after: predecessor, patience: stopTimeout,
        isStopped: { StopSignal.isGiven }, says: says)
    }
  }
#endif
