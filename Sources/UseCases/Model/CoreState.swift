import Aggregates
import Events
import Projections

/// What a core knows of a log, as one projection: how a core starts from a checkpoint.
///
/// ```swift
/// var state = Replay<CoreState>()
/// _ = state.restore(view)
/// let core = try await Core(log, state: state)
/// ```
/// - Complexity: opening a core from a checkpoint costs the state, not the log.
public struct CoreState: Projection {
  public static let name = "core"
  public static let version = 1
  public static let handles = EventTypes.all

  var society = Society()
  var views = Views()

  public init() {}

  public mutating func apply(_ event: borrowing Event, at moment: Moment) {
    society.apply(copy event)
    views.apply(event, at: moment)
  }

  public mutating func settle() { views.settle() }

  public mutating func visitParts(_ state: inout StateCoder) {
    state.part("society", version: 1) { society.visit(&$0) }
    views.visitParts(&state)
  }

  public func brokenInvariant(_ names: Names) -> String? { views.brokenInvariant(names) }
}

extension Views {
  mutating func visitParts(_ state: inout StateCoder) {
    profiles.visitParts(&state)
    following.visitParts(&state)
    relationships.visitParts(&state)
    search.visitParts(&state)
    workouts.visitParts(&state)
    chups.visitParts(&state)
    comments.visitParts(&state)
    leaderboard.visitParts(&state)
    notifications.visitParts(&state)
  }
}

extension ProfileDecider.State: Storable {
  public static var blank: Self { ProfileDecider.initial }

  public mutating func visit(_ state: inout StateCoder) {
    state(&account)
    state(&handle)
    state(&isPublic)
    state(&displayName)
    state(&about)
    state(&photo)
    state(&location)
    state(&sports)
  }
}

extension WorkoutDecider.State: Storable {
  public static var blank: Self { .none }

  public mutating func visit(_ state: inout StateCoder) {
    var kind: UInt8 = 0
    var (workout, detail) = (WorkoutShared?.none, WorkoutDetailAttached?.none)
    var owner = UserID(index: 0)
    switch self {
    case .none: break
    case .removed(let present): (kind, owner) = (1, present)
    case .shared(let present, let attached): (kind, workout, detail) = (2, present, attached)
    }
    state(&kind)
    switch kind {
    case 1:
      state(&owner)
      self = .removed(owner: owner)
    case 2:
      state(&workout)
      state(&detail)
      if let workout { self = .shared(workout, detail: detail) }
    default: self = .none
    }
  }
}

extension CommentDecider.State: Storable {
  public static var blank: Self { .none }

  public mutating func visit(_ state: inout StateCoder) {
    var kind: UInt8 = 0
    var comment = CommentPosted?.none
    switch self {
    case .none: break
    case .removed: kind = 1
    case .posted(let present): (kind, comment) = (2, present)
    }
    state(&kind)
    guard kind == 2 else {
      self = kind == 1 ? .removed : .none
      return
    }
    state(&comment)
    if let comment { self = .posted(comment) }
  }
}
