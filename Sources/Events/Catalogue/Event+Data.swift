/// The `data` of one or more event types: how its members are read and written, and its stream.
///
/// A conforming type lists its members twice, in the catalogue's order: once reading, once
/// writing. The schema (`docs/events.md`, the golden snapshot) is taken from the reading side.
protocol EventData: Equatable, Sendable {
  init<R: MemberReader>(from reader: inout R) throws(LineFault)
  func write(to writer: inout MemberWriter)
  var stream: StreamID { get }
  /// Replaces its ids, in the order of its members.
  mutating func mapIDs(_ map: some IDMap)
}

extension EventData {
  func mapped(_ map: some IDMap) -> Self {
    var copy = self
    copy.mapIDs(map)
    return copy
  }
}

/// The events of one kind of aggregate: what a case of `Event` holds.
protocol EventFamily: Equatable, Sendable {
  var type: EventType { get }
  /// Passes the event's data to a visitor.
  func visitData<V: DataVisitor>(_ visitor: inout V) -> V.Result
  mutating func mapIDs(_ map: some IDMap)
}

/// An operation on the data of an event, the same for every type.
protocol DataVisitor {
  associatedtype Result
  mutating func visit(_ data: some EventData) -> Result
}

extension Event {
  /// Reads the data of an event of `type` at its current version.
  init<R: MemberReader>(_ type: EventType, from r: inout R) throws(LineFault) {
    switch type {
    case .profileCreated: self = .profile(.created(try .init(from: &r)))
    case .profileEdited: self = .profile(.edited(try .init(from: &r)))
    case .profilePhotoSet: self = .profile(.photoSet(try .init(from: &r)))
    case .profilePhotoRemoved: self = .profile(.photoRemoved(try .init(from: &r)))
    case .baseLocationSet: self = .profile(.baseLocationSet(try .init(from: &r)))
    case .baseLocationCleared: self = .profile(.baseLocationCleared(try .init(from: &r)))
    case .sportSet: self = .profile(.sportSet(try .init(from: &r)))
    case .sportRemoved: self = .profile(.sportRemoved(try .init(from: &r)))
    case .sendLogged: self = .profile(.sendLogged(try .init(from: &r)))
    case .accountDeleted: self = .accountDeleted(try .init(from: &r))
    case .userFollowed: self = .follow(.followed(try .init(from: &r)))
    case .userUnfollowed: self = .follow(.unfollowed(try .init(from: &r)))
    case .friendRequested: self = .friendship(.requested(try .init(from: &r)))
    case .friendRequestCancelled: self = .friendship(.cancelled(try .init(from: &r)))
    case .friendRequestAccepted: self = .friendship(.accepted(try .init(from: &r)))
    case .friendRequestRejected: self = .friendship(.rejected(try .init(from: &r)))
    case .friendRemoved: self = .friendship(.removed(try .init(from: &r)))
    case .workoutShared: self = .workout(.shared(try .init(from: &r)))
    case .workoutEdited: self = .workout(.edited(try .init(from: &r)))
    case .workoutDetailAttached: self = .workout(.detailAttached(try .init(from: &r)))
    case .workoutRemoved: self = .workout(.removed(try .init(from: &r)))
    case .chupGiven: self = .chup(.given(try .init(from: &r)))
    case .chupWithdrawn: self = .chup(.withdrawn(try .init(from: &r)))
    case .commentPosted: self = .comment(.posted(try .init(from: &r)))
    case .commentEdited: self = .comment(.edited(try .init(from: &r)))
    case .commentRemoved: self = .comment(.removed(try .init(from: &r)))
    case .commentHearted: self = .heart(.given(try .init(from: &r)))
    case .commentUnhearted: self = .heart(.withdrawn(try .init(from: &r)))
    }
  }

  private func visitData<V: DataVisitor>(_ visitor: inout V) -> V.Result {
    switch self {
    case .profile(let event): event.visitData(&visitor)
    case .accountDeleted(let data): visitor.visit(data)
    case .follow(let event): event.visitData(&visitor)
    case .friendship(let event): event.visitData(&visitor)
    case .workout(let event): event.visitData(&visitor)
    case .chup(let event): event.visitData(&visitor)
    case .comment(let event): event.visitData(&visitor)
    case .heart(let event): event.visitData(&visitor)
    }
  }

  /// The stream this event belongs to: the aggregate whose history it is part of.
  public var stream: StreamID {
    struct Visitor: DataVisitor {
      func visit(_ data: some EventData) -> StreamID { data.stream }
    }
    var visitor = Visitor()
    return visitData(&visitor)
  }

  func write(to writer: inout MemberWriter) {
    struct Visitor: DataVisitor {
      var writer: MemberWriter
      mutating func visit(_ data: some EventData) { data.write(to: &writer) }
    }
    var visitor = Visitor(writer: writer)
    visitData(&visitor)
    writer = visitor.writer
  }
}
