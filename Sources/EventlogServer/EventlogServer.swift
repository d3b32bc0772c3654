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
    /// Why the server did not start, or ended.
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

    /// Adds a command.
    /// - Precondition: as `UseCaseList.adding`.
    public mutating func add<C: Command>(_ command: C.Type) { useCases = useCases.adding(command) }

    /// Adds a query.
    /// - Precondition: as `UseCaseList.adding`.
    public mutating func add<Q: Query>(_ query: Q.Type) { useCases = useCases.adding(query) }
  }
#endif
