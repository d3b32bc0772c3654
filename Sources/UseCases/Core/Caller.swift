import Events

/// Who calls a use case, and, for generated or imported histories, when.
///
/// ```swift
/// try await toggle.execute(input, as: "alice")
/// try await toggle.execute(input, as: Caller(session.user))  // of a variable
/// ```
/// Authentication happens outside: the code that makes a `Caller` vouches for it.
public struct Caller: Equatable, Sendable, ExpressibleByStringLiteral, ExpressibleByNilLiteral {
  /// The user's id; nil if nobody is signed in.
  public var user: String?
  /// The time to record events with, but not before that of the last event; nil means the clock's.
  public var time: Timestamp?

  public init(_ user: String?, at time: Timestamp? = nil) {
    self.user = user
    self.time = time
  }

  public init(stringLiteral user: String) { self.init(user) }
  public init(nilLiteral: ()) { self.init(nil) }
}
