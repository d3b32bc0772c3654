#if Server
  @_exported import Aggregates
  @_exported import Events
  @_exported import Projections
  import Server
  @_exported import UseCases

  /// A log as a backend over HTTP, with an app's own events, projections and use cases.
  ///
  ///     var server = EventlogServer(log: "gym.log", rules: .climb)
  ///     server.add(Visits.self)
  ///     server.add(CheckIn.self)
  ///     server.tokenKeys = ["secret.key"]
  ///     await server.runOrExit()  // until SIGTERM or Ctrl-C
  ///
  /// It serves what `eventlog serve` serves (`docs/server.md`), and the app's use cases beside the
  /// core's: `/v1/do/gymapp.CheckIn`, `/v1/updates/…`, `/v1/run`, past revisions and OpenAPI.
  public struct EventlogServer: Sendable {
    public struct Fault: Error, CustomStringConvertible, Sendable {
      public var message: String
      public var description: String { message }
    }

    /// The log's folder; an empty log is made if there is none.
    public var log: String
    /// Nil means the recorded rules. An empty log records the given ones.
    public var rules: Rules?
    /// The log that the folder is a clone of, if that is not a folder itself.
    public var remote: (any RemoteLog)?
    /// An address of this machine; `::1` and the like for IPv6.
    public var host = "127.0.0.1"
    /// 0 takes a free port.
    public var port: UInt16 = 8080
    /// One or two files with the keys of tokens: a secret, a PEM, or a JWKS.
    public var tokenKeys: [String] = []
    public var tokenAudience: String?
    public var tokenIssuer: String?
    /// Whether the header `X-User` says who calls, without a token; for a loopback address only.
    public var trustsUserHeader = false
    /// An origin that browsers may call from.
    public var cors: String?
    /// What the addresses of photos begin with, such as `https://api.example.org`.
    public var publicURL = ""
    /// The folder of photos; the folder `photos` in the log if nil.
    public var photos: String?
    public var bounds = Bounds()
    /// How many seconds requests under way have to end after SIGTERM.
    public var stopTimeout = 10
    /// Receives what the server has to say, a sentence each.
    public var says: @Sendable (String) -> Void = { StopSignal.say("eventlog: \($0)") }

    /// The projections that the core maintains, and with them the types of the app's events.
    public private(set) var catalogue = Catalogue.standard
    public private(set) var useCases = UseCaseList.standard

    public init(log: String, rules: Rules? = nil) { (self.log, self.rules) = (log, rules) }

    /// Adds a projection, and the types of events that it lists in `appEvents`.
    /// - Precondition: as `Catalogue.adding`.
    public mutating func add<P: ExplainedProjection>(_ projection: P.Type) {
      catalogue = catalogue.adding(projection)
    }

    /// - Precondition: as `UseCaseList.adding`.
    public mutating func add<C: Command>(_ command: C.Type) { useCases = useCases.adding(command) }

    /// - Precondition: as `UseCaseList.adding`.
    public mutating func add<Q: Query>(_ query: Q.Type) { useCases = useCases.adding(query) }

    // MARK: Running

    /// Serves the log until SIGTERM or Ctrl-C; opens it again after it was rewritten.
    /// - Throws: `Fault` if the log, the keys or the address cannot be used.
    public func run() async throws(Fault) {
      let tokens = try authenticator()
      StopSignal.take()
      var port = port
      while try await serveOnce(tokens, &port) {}
    }

    /// Does the same as `run`, and after a fault says what is wrong and ends the process with exit
    /// code 64.
    public func runOrExit() async {
      do throws(Fault) {
        try await run()
      } catch {
        says(error.message)
        StopSignal.exit(64)
      }
    }

    private func authenticator() throws(Fault) -> JSONWebTokens? {
      if trustsUserHeader {
        guard tokenKeys.isEmpty, Listener.isLoopback(host), cors != "*" else {
          throw Fault(
            message: "trustsUserHeader is for a loopback address, without tokenKeys and without "
              + "cors of any origin")
        }
        return nil
      }
      guard (1...2).contains(tokenKeys.count) else {
        throw Fault(message: "one or two files in tokenKeys are expected, or trustsUserHeader")
      }
      do throws(TokenKeyFault) {
        return try JSONWebTokens(paths: tokenKeys, audience: tokenAudience, issuer: tokenIssuer)
      } catch {
        throw Fault(message: error.message)
      }
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

    /// - Returns: whether the log was rewritten and is to be served again.
    private func serveOnce(
      _ tokens: JSONWebTokens?, _ port: inout UInt16
    ) async throws(Fault) -> Bool {
      let (core, file): (Core, FileLog)
      do throws(LogError) {
        file = try await opened()
        if let recovery = file.recovery { says("recovered: \(recovery)") }
        core = try await .open(file, rules: rules, catalogue: catalogue, useCases: useCases)
      } catch {
        throw Fault(message: "\(error)")
      }
      let folder = photos ?? log + "/photos"
      let prefix = publicURL.hasSuffix("/") ? String(publicURL.dropLast()) : publicURL
      let ports = PhotoPorts(
        storage: PhotoFolder(folder, baseURL: prefix + "/storage/v1/object/public/"),
        encoder: defaultPhotoEncoder())
      var options = Service.Options()
      options.bounds = bounds
      options.cors = cors
      options.trustsUserHeader = trustsUserHeader
      do throws(Listener.Fault) {
        _ = try await Listener.serve(
          core, file, in: log, photos: ports, photoFolder: folder, tokens: tokens,
          options: options, host: host, port: &port, patience: stopTimeout,
          isStopped: { StopSignal.isGiven }, says: says)
      } catch {
        throw Fault(message: error.message)
      }
      // A log that was rewritten at the last moment takes no checkpoint of the old core.
      if StopSignal.isGiven { _ = try? await core.saveCheckpoint() } else { file.close() }
      return !StopSignal.isGiven
    }
  }
#endif
