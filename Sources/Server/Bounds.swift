/// The server's limits for clients.
public struct Bounds: Sendable {
  /// The largest JSON body, in bytes: 1 MiB.
  public var body = 1 << 20
  /// The largest uploaded photo, in bytes, before the server encodes it: 16 MiB.
  public var photo = 16 << 20
  /// The largest body of `/v1/run`, in bytes: 16 MiB.
  public var run = 16 << 20
  /// The memory per connection for the request line, the headers and the library, in bytes: 16 KiB.
  public var header = 16 << 10
  /// The bytes of all bodies under way that have at least 64 KiB: 256 MiB.
  public var bodies = 256 << 20
  /// The same limit for one user: 40 MiB.
  public var bodiesPerUser = 40 << 20
  /// The runs of lines (`/v1/run`) at once.
  public var runs = 64
  /// The runs of one user at once.
  public var runsPerUser = 4
  /// The unsent answers of a run, in bytes: 256 KiB. A run with more waits; one may be longer.
  public var runAnswers = 256 << 10
  /// The open connections.
  public var connections = 10_000
  /// The open connections from one address; 0 means no limit of its own.
  public var connectionsPerAddress = 0
  /// The seconds after which a connection without traffic is closed.
  public var idleSeconds = 30
  /// The requests of one user per second; 0 means no limit. Twice as many may arrive at once.
  public var requestsPerSecond = 100
  /// The commands that wait to be durable.
  public var queue = 4_096
  /// The open event streams.
  public var streams = 10_000
  /// The open event streams of one user.
  public var streamsPerUser = 20
  /// The photos that one user may keep at the storage addresses.
  public var storedPhotos = 50
  /// The number of threads that serve connections.
  public var threads = 2

  /// Creates the default limits.
  public init() {}
}
