import Events

/// Who calls a use case, and, for generated or imported histories, when.
///
/// ```swift
/// try await toggle.execute(input, as: "alice")
/// try await toggle.execute(input, as: Caller(session.user))  // of a variable
/// Caller.service("moderation").user  // nil: it is no user
/// ```
/// Authentication happens outside: the code that makes a `Caller` vouches for it.
public struct Caller: Equatable, Sendable, ExpressibleByStringLiteral, ExpressibleByNilLiteral {
  /// The user's id; nil if nobody is signed in, or a service calls.
  public var user: String?
  /// The name of a service: a caller that is no user, and sees everything.
  public var service: String?
  /// The time to record events with, but not before that of the last event; nil means the clock's.
  public var time: Timestamp?

  /// The address of this server, put before the paths of stored photos in answers; nil leaves
  /// paths.
  public var photoBase: String?

  public init(_ user: String?, at time: Timestamp? = nil) {
    self.user = user
    self.time = time
  }

  public init(stringLiteral user: String) { self.init(user) }
  public init(nilLiteral: ()) { self.init(nil) }

  /// A caller that is no user, such as a job of billing or moderation; `actor` in the log is
  /// `service:` and its name.
  public static func service(_ name: String, at time: Timestamp? = nil) -> Caller {
    var caller = Caller(nil, at: time)
    caller.service = name
    return caller
  }

  /// A photo's address: an event may have the path only.
  static func address(ofPhoto url: String, base: String?) -> String {
    guard let base, url.hasPrefix("/"), !url.hasPrefix("//") else { return url }
    return base + url
  }

  /// The actor of what is recorded; nil for nobody.
  var actor: String? { service.map { Names.servicePrefix + $0 } ?? user }
}
