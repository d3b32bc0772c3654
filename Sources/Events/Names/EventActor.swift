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
    EventActor(
      id,
      isService: users.withBytes(id.index) { bytes in
        bytes.count > Self.servicePrefix.utf8.count && bytes.starts(with: Self.servicePrefix.utf8)
      })
  }

  public subscript(actor: EventActor) -> String { self[actor.id] }
}
