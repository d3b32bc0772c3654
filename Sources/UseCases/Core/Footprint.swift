import Events
import Projections

/// The ids whose state a query's answer depends on.
///
/// An event that names none of them, directly or through the state, leaves the answer as it is.
/// - Complexity: 8 bytes for each id.
package struct Footprint: Sendable {
  /// The ids as numbers, ascending; nil if any event may change the answer.
  private let ids: [UInt64]?

  /// - Parameter reads: what the query read; nil if it read everybody's state.
  init(_ reads: Set<ReadSet.Read>?, _ names: Names) {
    guard let reads else {
      ids = nil
      return
    }
    var found: Set<UInt64> = []
    for read in reads {
      switch read {
      case .one(_, let id): found.insert(id.number)
      case .pair(_, let a, let b):
        found.insert(AnyID(a).number)
        found.insert(AnyID(b).number)
      case .id(let id) where id.kind.ids.map({ names.find(id.id, $0) != nil }) ?? false: break
      // The id may occur, or the handle be taken, at any event.
      case .handle, .id:
        ids = nil
        return
      }
    }
    ids = found.sorted()
  }

  /// Returns whether events may have changed the answer.
  /// - Complexity: O(touched ids · log ids).
  package func isTouched(by touched: TouchedIDs) -> Bool {
    guard let ids, !touched.isAll else { return true }
    return touched.ids.contains { id in
      let index = ids.lowerBound { $0 < id }
      return index < ids.count && ids[index] == id
    }
  }
}

extension Model {
  /// Returns the ids that a query's reads depend on.
  func footprint(of reads: ReadSet) -> Footprint { Footprint(reads.all, names) }
}

/// The ids whose state some events may have changed.
package struct TouchedIDs: Sendable {
  /// The most ids kept; with more, every answer counts as changed.
  private static let most = 1_000
  fileprivate var ids: Set<UInt64> = []
  /// Whether every answer counts as changed. The set `ids` is then incomplete.
  package internal(set) var isAll = false

  package init() {}

  /// All ids.
  static var all: TouchedIDs {
    var touched = TouchedIDs()
    touched.isAll = true
    return touched
  }

  func contains(_ id: AnyID) -> Bool { isAll || ids.contains(id.number) }

  /// Adds an event, before it is applied to the projections.
  mutating func add(_ event: borrowing Event, _ views: Reading) {
    if isAll { return }
    switch event {
    // Follows, chups and more of a deleted account disappear everywhere. Apps' projections are
    // their own.
    case .accountDeleted, .app: isAll = true
    default:
      for id in event.ids { add(id, views) }
      if ids.count > Self.most { isAll = true }
    }
  }

  /// Adds an id, and the ids of the users and workouts whose lists or notifications may contain it:
  /// the owner of a workout; the author of a comment, its workout and that workout's owner; the
  /// members of a group; the sender and receiver of a message.
  private mutating func add(_ id: AnyID, _ views: Reading) {
    guard ids.insert(id.number).inserted else { return }
    switch id.kind {
    case .user, .report: break
    case .workout:
      if let workout = views.workout(WorkoutID(index: id.index)) {
        ids.insert(AnyID(workout.owner).number)
      }
    case .comment:
      if let comment = views.comment(CommentID(index: id.index)) {
        ids.insert(AnyID(comment.user).number)
        add(AnyID(comment.workout), views)
      }
    case .group:
      for member in views.members(of: GroupID(index: id.index)) { ids.insert(AnyID(member).number) }
    case .message:
      if let message = views.message(MessageID(index: id.index)) {
        for user in [message.sender, message.receiver].compactMap({ $0 }) {
          ids.insert(AnyID(user).number)
        }
      }
    }
  }
}

extension AnyID {
  fileprivate var number: UInt64 { UInt64(kind.rawValue) << 32 | UInt64(index) }
}
