/// The server's limits for clients.
public struct Bounds: Sendable {
  /// The largest JSON body, in bytes: 1 MiB.
  public var body = 1 << 20
  /// The largest uploaded photo, in bytes, before the server encodes it: 16 MiB.
  public var photo = 16 << 20
  /// The largest body of `/v1/run`, in bytes: 16 MiB.
  public var run = 16 << 20
  /// The memory per connection for the request line, the headers and libmicrohttpd's data: 16 KiB.
  public var header = 16 << 10
  /// The most bytes of large request bodies that all users may send at once: 256 MiB. A body is
  /// large from 64 KiB on.
  public var bodies = 256 << 20
  /// The most bytes of large request bodies that one user may send at once: 40 MiB.
  public var bodiesPerUser = 40 << 20
  /// The most bytes of answers that wait until their clients have read them: 256 MiB.
  public var unreadAnswers = 256 << 20
  /// The most bytes of one user's answers that wait until they are read: 32 MiB, or one longer
  /// answer.
  public var unreadAnswersPerUser = 32 << 20
  /// The most `/v1/run` requests that the server performs at once.
  public var runs = 64
  /// The most `/v1/run` requests of one user that the server performs at once.
  public var runsPerUser = 4
  /// The most bytes of unsent answers to a `/v1/run` request: 256 KiB, or one answer that is
  /// longer. The server performs more lines only after the client has read the answers.
  public var runAnswers = 256 << 10
  /// The most open connections.
  public var connections = 10_000
  /// The most open connections from one client address; 0 means no such limit. Behind a trusted
  /// proxy, the most requests under way of one client address and of one user. An IPv6 address
  /// counts by its first 64 bits.
  public var connectionsPerAddress = 200
  /// Whether `connectionsPerAddress` also limits connections from this machine.
  public var countsLoopback = false
  /// The seconds after which the server closes a connection without traffic.
  public var idleSeconds = 30
  /// The most requests of one user per second; 0 means no limit. Twice as many may arrive at once.
  public var requestsPerSecond = 100
  /// The most commands that may wait until they are durable. The server refuses further commands.
  public var queue = 4_096
  /// The most open event streams.
  public var streams = 10_000
  /// The most open event streams of one user.
  public var streamsPerUser = 20
  /// The most photos of one user in an hour, which the server encodes; 0 means no limit.
  public var photosPerHour = 120
  /// The most photos that one user may store at paths that the client chooses.
  public var storedPhotos = 50
  /// The number of threads that serve connections.
  public var threads = 2

  /// Creates the default limits.
  public init() {}
}
