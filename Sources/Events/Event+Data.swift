/// The `data` of one or more event types: how its members are read and written, and its stream.
///
/// A conforming type lists its members twice, in the catalogue's order: once reading, once
/// writing. The schema (`docs/events.md`, the golden snapshot) is taken from the reading side.
protocol EventData: Equatable, Sendable {
  init<R: MemberReader>(from reader: inout R) throws(LineFault)
  func write(to writer: inout MemberWriter)
  var stream: StreamID { get }
}

extension Event {
  /// Reads the data of an event of `type` at its current version.
  init<R: MemberReader>(_ type: EventType, from r: inout R) throws(LineFault) {
    switch type {
    case .profileCreated: self = .profileCreated(try .init(from: &r))
    case .profileEdited: self = .profileEdited(try .init(from: &r))
    case .profilePhotoSet: self = .profilePhotoSet(try .init(from: &r))
    case .profilePhotoRemoved: self = .profilePhotoRemoved(try .init(from: &r))
    case .baseLocationSet: self = .baseLocationSet(try .init(from: &r))
    case .baseLocationCleared: self = .baseLocationCleared(try .init(from: &r))
    case .sportSet: self = .sportSet(try .init(from: &r))
    case .sportRemoved: self = .sportRemoved(try .init(from: &r))
    case .sendLogged: self = .sendLogged(try .init(from: &r))
    case .accountDeleted: self = .accountDeleted(try .init(from: &r))
    case .userFollowed: self = .userFollowed(try .init(from: &r))
    case .userUnfollowed: self = .userUnfollowed(try .init(from: &r))
    case .friendRequested: self = .friendRequested(try .init(from: &r))
    case .friendRequestCancelled: self = .friendRequestCancelled(try .init(from: &r))
    case .friendRequestAccepted: self = .friendRequestAccepted(try .init(from: &r))
    case .friendRequestRejected: self = .friendRequestRejected(try .init(from: &r))
    case .friendRemoved: self = .friendRemoved(try .init(from: &r))
    case .workoutShared: self = .workoutShared(try .init(from: &r))
    case .workoutEdited: self = .workoutEdited(try .init(from: &r))
    case .workoutDetailAttached: self = .workoutDetailAttached(try .init(from: &r))
    case .workoutRemoved: self = .workoutRemoved(try .init(from: &r))
    case .chupGiven: self = .chupGiven(try .init(from: &r))
    case .chupWithdrawn: self = .chupWithdrawn(try .init(from: &r))
    case .commentPosted: self = .commentPosted(try .init(from: &r))
    case .commentEdited: self = .commentEdited(try .init(from: &r))
    case .commentRemoved: self = .commentRemoved(try .init(from: &r))
    case .commentHearted: self = .commentHearted(try .init(from: &r))
    case .commentUnhearted: self = .commentUnhearted(try .init(from: &r))
    }
  }

  /// The stream this event belongs to: the aggregate whose history it is part of.
  public var stream: StreamID {
    switch self {
    case .profileCreated(let data): data.stream
    case .profileEdited(let data): data.stream
    case .profilePhotoSet(let data): data.stream
    case .baseLocationSet(let data): data.stream
    case .profilePhotoRemoved(let data), .baseLocationCleared(let data),
      .accountDeleted(let data):
      data.stream
    case .sportSet(let data): data.stream
    case .sportRemoved(let data): data.stream
    case .sendLogged(let data): data.stream
    case .userFollowed(let data), .userUnfollowed(let data): data.stream
    case .friendRequested(let data), .friendRequestCancelled(let data),
      .friendRequestAccepted(let data), .friendRequestRejected(let data):
      data.stream
    case .friendRemoved(let data): data.stream
    case .workoutShared(let data): data.stream
    case .workoutEdited(let data): data.stream
    case .workoutDetailAttached(let data): data.stream
    case .workoutRemoved(let data): data.stream
    case .chupGiven(let data): data.stream
    case .chupWithdrawn(let data): data.stream
    case .commentPosted(let data): data.stream
    case .commentEdited(let data): data.stream
    case .commentRemoved(let data): data.stream
    case .commentHearted(let data), .commentUnhearted(let data): data.stream
    }
  }

  func write(to writer: inout MemberWriter) {
    switch self {
    case .profileCreated(let data): data.write(to: &writer)
    case .profileEdited(let data): data.write(to: &writer)
    case .profilePhotoSet(let data): data.write(to: &writer)
    case .baseLocationSet(let data): data.write(to: &writer)
    case .profilePhotoRemoved(let data), .baseLocationCleared(let data),
      .accountDeleted(let data):
      data.write(to: &writer)
    case .sportSet(let data): data.write(to: &writer)
    case .sportRemoved(let data): data.write(to: &writer)
    case .sendLogged(let data): data.write(to: &writer)
    case .userFollowed(let data), .userUnfollowed(let data): data.write(to: &writer)
    case .friendRequested(let data), .friendRequestCancelled(let data),
      .friendRequestAccepted(let data), .friendRequestRejected(let data):
      data.write(to: &writer)
    case .friendRemoved(let data): data.write(to: &writer)
    case .workoutShared(let data): data.write(to: &writer)
    case .workoutEdited(let data): data.write(to: &writer)
    case .workoutDetailAttached(let data): data.write(to: &writer)
    case .workoutRemoved(let data): data.write(to: &writer)
    case .chupGiven(let data): data.write(to: &writer)
    case .chupWithdrawn(let data): data.write(to: &writer)
    case .commentPosted(let data): data.write(to: &writer)
    case .commentEdited(let data): data.write(to: &writer)
    case .commentRemoved(let data): data.write(to: &writer)
    case .commentHearted(let data), .commentUnhearted(let data): data.write(to: &writer)
    }
  }
}
