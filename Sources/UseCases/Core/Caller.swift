import Events

/// The user or service that calls a use case; for generated or imported histories also the time.
///
/// ```swift
/// try await toggle.execute(input, as: "alice")
/// try await toggle.execute(input, as: Caller(session.user))  // from a variable
/// Caller.service("moderation").user  // nil: a service is not a user
/// ```
/// Authentication happens elsewhere: the code that creates a `Caller` vouches for it.
public struct Caller: Equatable, Sendable, ExpressibleByStringLiteral, ExpressibleByNilLiteral {
  /// The user's id; nil if nobody is signed in or a service calls.
  public var user: String?
  /// The name of the service that calls, or nil. A service is not a user, and sees everything.
  public var service: String?
  /// The time to record in events, not before the last event's; nil means the clock's.
  public var time: Timestamp?

  /// The server's address, put before the paths of stored photos in answers, or nil.
  public var photoBase: String?

  /// Creates a caller; a nil user means that nobody is signed in.
  public init(_ user: String?, at time: Timestamp? = nil) {
    (self.user, self.time) = (user, time)
  }

  public init(stringLiteral user: String) { self.init(user) }
  public init(nilLiteral: ()) { self.init(nil) }

  /// Returns a caller that is a service, such as a billing or moderation job.
  ///
  /// The actor of its events is `service:` and the name.
  public static func service(_ name: String, at time: Timestamp? = nil) -> Caller {
    var caller = Caller(nil, at: time)
    caller.service = name
    return caller
  }

  /// Returns a photo's address; an event may contain only the path.
  static func address(ofPhoto url: String, base: String?) -> String {
    guard let base, url.hasPrefix("/"), !url.hasPrefix("//") else { return url }
    return base + url
  }

  /// The actor of recorded events; nil if nobody is signed in.
  var actor: String? { service.map { Names.servicePrefix + $0 } ?? user }
}
