/// The actor of an event: a user or a service.
public struct EventActor: Hashable, Sendable, BitwiseCopyable {
  /// The number of the actor's name; it is not a user's number if the actor is a service.
  public let id: UserID
  /// Whether the actor is a service.
  public let isService: Bool

  /// Creates an actor.
  public init(_ id: UserID, isService: Bool = false) {
    (self.id, self.isService) = (id, isService)
  }
}

extension Names {
  /// The prefix of a service's name as an actor; no profile's id has it.
  public static let servicePrefix = "service:"

  /// Returns the actor with a number from this table.
  public func actor(_ id: UserID) -> EventActor {
    EventActor(id, isService: users.withBytes(id.index) { Self.isService($0) })
  }

  /// Whether an actor's name is a service's.
  @inline(__always)
  static func isService(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    // Few actors are services, and few users' names begin with `s`, so that byte is compared first.
    name.count > servicePrefix.utf8.count && name[0] == UInt8(ascii: "s")
      && name.starts(with: servicePrefix.utf8)
  }

  /// The actor's name.
  public subscript(actor: EventActor) -> String { self[actor.id] }
}
