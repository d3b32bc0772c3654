/// The limits of everything that clients use.
public struct Bounds: Sendable {
  /// A JSON body, in bytes: 1 MiB.
  public var body = 1 << 20
  /// A photo, in bytes, before it is encoded: 16 MiB.
  public var photo = 16 << 20
  /// The lines of one `/v1/run`, in bytes: 16 MiB.
  public var run = 16 << 20
  /// Request line and headers with the library's own needs, in bytes: 16 KiB.
  public var header = 16 << 10
  /// All bodies of 64 KiB and more under way, in bytes, and those of one user.
  public var bodies = 256 << 20
  public var bodiesPerUser = 40 << 20
  /// Runs of lines at once, and those of one user.
  public var runs = 64
  public var runsPerUser = 4
  /// A run's unsent answers, in bytes; with more, it waits. One answer may be longer.
  public var runAnswers = 256 << 10
  public var connections = 10_000
  /// Connections of one address; 0 is as many as there may be in all.
  public var connectionsPerAddress = 0
  /// Seconds in which nothing comes or goes.
  public var idleSeconds = 30
  /// Requests of one user in a second; 0 is any number. Twice as many may come at once.
  public var requestsPerSecond = 100
  /// Commands that wait to be durable.
  public var queue = 4_096
  /// Event streams, and those of one user.
  public var streams = 10_000
  public var streamsPerUser = 20
  /// Photos that the storage addresses keep of one user.
  public var storedPhotos = 50
  /// Threads that serve connections.
  public var threads = 2

  public init() {}
}
