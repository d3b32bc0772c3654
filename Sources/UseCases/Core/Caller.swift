import Events

/// Who asks, and, for histories that are made up or told afterwards, when.
///
/// ```swift
/// try await toggle.execute(input, as: "alice")
/// try await toggle.execute(input, as: Caller(session.user))  // of a variable
/// ```
/// Authentication lies outside: whoever makes a `Caller` vouches for it.
public struct Caller: Equatable, Sendable, ExpressibleByStringLiteral, ExpressibleByNilLiteral {
  /// The user's id; nil where nobody is signed in.
  public var user: String?
  /// What the events are recorded with, not before the last one's; nil is the clock's.
  public var time: Timestamp?

  public init(_ user: String?, at time: Timestamp? = nil) {
    self.user = user
    self.time = time
  }

  public init(stringLiteral user: String) { self.init(user) }
  public init(nilLiteral: ()) { self.init(nil) }
}
