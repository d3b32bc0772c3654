/// A part of the deciders' states that a decision can read.
package enum StateRead: Hashable, Sendable {
  /// The state of one stream. In a conversation, each message has its own stream.
  case stream(StreamID)
  /// The user with a handle, in lower case.
  case handle(String)
  /// The workout that an owner shared with a local id.
  case localID(UserID, String)
  /// The groups that a user owns.
  case groups(ownedBy: UserID)
  /// The members of a group.
  case members(of: GroupID)
}

/// The parts of the states that a decision has read, in the order of the first reading.
package final class StateReads: Sendable {
  private struct Found: Sendable {
    var ordered: [StateRead] = []
    var known: Set<StateRead> = []
  }

  private let found = Guarded(Found())

  package init() {}

  package func add(_ read: StateRead) {
    found.withLock { if $0.known.insert(read).inserted { $0.ordered.append(read) } }
  }

  package var all: [StateRead] { found.withLock { $0.ordered } }
}

extension Event {
  /// The stream whose state in the deciders an event changes; nil if it changes none. In a
  /// conversation, each message has its own state.
  package var stateStream: StreamID? {
    switch self {
    case .notification: nil
    case .conversation(let event): event.message.map { StreamID(.conversation, $0) }
    default: stream
    }
  }
}

extension StreamID {
  /// The kinds of the ids `a` and `b` of the state of a stream; one if there is no `b`.
  package var stateIDs: [AnyID] {
    switch kind {
    case .profile, .notifications: [AnyID(.user, a)]
    case .workout: [AnyID(.workout, a)]
    case .comment: [AnyID(.comment, a)]
    case .group: [AnyID(.group, a)]
    case .report: [AnyID(.report, a)]
    case .conversation: [AnyID(.message, a)]
    case .follow, .block, .friendship: [AnyID(.user, a), AnyID(.user, b)]
    case .member: [AnyID(.group, a), AnyID(.user, b)]
    case .chup, .reaction: [AnyID(.workout, a), AnyID(.user, b)]
    case .heart: [AnyID(.comment, a), AnyID(.user, b)]
    }
  }
}
