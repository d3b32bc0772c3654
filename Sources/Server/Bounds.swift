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
  /// The maximum total size of large bodies (64 KiB or more) in progress: 256 MiB.
  public var bodies = 256 << 20
  /// The same limit for one user: 40 MiB.
  public var bodiesPerUser = 40 << 20
  /// The most runs of lines (`/v1/run`) at once.
  public var runs = 64
  /// The most runs of one user at once.
  public var runsPerUser = 4
  /// The most bytes of a run's unsent answers, unless one is longer: 256 KiB. With more, it waits.
  public var runAnswers = 256 << 10
  /// The most open connections.
  public var connections = 10_000
  /// The most open connections from one address; 0 means no separate limit.
  public var connectionsPerAddress = 0
  /// The seconds after which a connection without traffic is closed.
  public var idleSeconds = 30
  /// The most requests of one user per second; 0 means no limit. Twice as many may arrive at once.
  public var requestsPerSecond = 100
  /// The most commands that wait to be durable.
  public var queue = 4_096
  /// The most open event streams.
  public var streams = 10_000
  /// The most open event streams of one user.
  public var streamsPerUser = 20
  /// The most photos that one user may keep at the storage addresses.
  public var storedPhotos = 50
  /// The number of threads that serve connections.
  public var threads = 2

  /// Creates the default limits.
  public init() {}
}
