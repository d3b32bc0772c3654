/// The actor of an event: a user or a service.
public struct EventActor: Hashable, Sendable, BitwiseCopyable {
  /// The dense number of the actor's id in the table of user ids. If the actor is a service, no
  /// user has this number.
  public let id: UserID
  /// Whether the actor is a service.
  public let isService: Bool

  /// Creates an actor from the number of its id.
  public init(_ id: UserID, isService: Bool = false) {
    (self.id, self.isService) = (id, isService)
  }
}

extension Names {
  /// The prefix of every service's id as an actor. No user's id has this prefix.
  public static let servicePrefix = "service:"

  /// Returns the actor with the dense number `id`, and determines whether it is a user or a
  /// service.
  public func actor(_ id: UserID) -> EventActor {
    EventActor(id, isService: users.withBytes(id.index) { Self.isService($0) })
  }

  /// Returns whether an actor's id is a service's id: whether it starts with `service:`.
  @inline(__always)
  static func isService(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    // The first byte is compared first, because few actors are services and few users' ids begin
    // with `s`.
    name.count > servicePrefix.utf8.count && name[0] == UInt8(ascii: "s")
      && name.starts(with: servicePrefix.utf8)
  }

  /// The id of an actor, as text.
  public subscript(actor: EventActor) -> String { self[actor.id] }
}
