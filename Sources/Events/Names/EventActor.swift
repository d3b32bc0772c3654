/// Who did what an event records: a user, or a service.
public struct EventActor: Hashable, Sendable, BitwiseCopyable {
  /// The number of the actor's name, which is no user's if it is a service.
  public let id: UserID
  public let isService: Bool

  public init(_ id: UserID, isService: Bool = false) {
    self.id = id
    self.isService = isService
  }
}

extension Names {
  /// What the actor of an event begins with if it is a service; no profile's id does.
  public static let servicePrefix = "service:"

  /// The actor with a number that the table has given out.
  public func actor(_ id: UserID) -> EventActor {
    EventActor(id, isService: users.withBytes(id.index) { Self.isService($0) })
  }

  /// Whether an actor's name is that of a service.
  @inline(__always)
  static func isService(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    // Nearly no actor is one, and few users' names begin with its letter.
    name.count > servicePrefix.utf8.count && name[0] == UInt8(ascii: "s")
      && name.starts(with: servicePrefix.utf8)
  }

  public subscript(actor: EventActor) -> String { self[actor.id] }
}
