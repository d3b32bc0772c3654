import Events

/// The user or service that calls a use case. Programs that generate or import a history also set
/// the time.
///
/// ```swift
/// try await toggle.execute(input, as: "alice")
/// try await toggle.execute(input, as: Caller(session.user))  // from a variable
/// Caller.service("moderation").user  // nil: a service is not a user
/// ```
/// The core does not authenticate: the code that creates a `Caller` must have checked who calls.
public struct Caller: Equatable, Sendable, ExpressibleByStringLiteral, ExpressibleByNilLiteral {
  /// The user's id; nil if nobody is signed in or a service calls.
  public var user: String?
  /// The name of the service that calls; nil for a user. A service is not a user, and sees
  /// everything.
  public var service: String?
  /// The time to record in events, not earlier than the log's last event; nil means the clock's
  /// time.
  public var time: Timestamp?

  /// The id of the request, which the events record; see `Tracing`.
  public var correlation: CorrelationID?

  /// The server's address. Answers put the server's address before the paths of stored photos; if
  /// nil, answers contain only the paths.
  public var photoBase: String?

  /// Creates a caller; a nil user means that nobody is signed in.
  public init(_ user: String?, at time: Timestamp? = nil) {
    (self.user, self.time) = (user, time)
  }

  public init(stringLiteral user: String) { self.init(user) }
  public init(nilLiteral: ()) { self.init(nil) }

  /// Returns a caller that is a service, such as a billing or moderation job.
  ///
  /// The actor in the service's events is `service:` followed by the name.
  public static func service(_ name: String, at time: Timestamp? = nil) -> Caller {
    var caller = Caller(nil, at: time)
    caller.service = name
    return caller
  }

  /// Returns a photo's full address. If `url` is only a path, puts `base` before the path.
  static func address(ofPhoto url: String, base: String?) -> String {
    guard let base, url.hasPrefix("/"), !url.hasPrefix("//") else { return url }
    return base + url
  }

  /// The actor to record in the caller's events; nil if nobody is signed in.
  package var actor: String? { service.map { Names.servicePrefix + $0 } ?? user }
}
