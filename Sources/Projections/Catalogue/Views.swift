import Events

/// The projections that a core keeps. This is the only place that lists them.
///
/// Replays, checkpoints, comparisons, paths, time travel and use cases visit them with `forEach`.
/// `FollowerRanking` is not among them, because `following` and `profiles` hold the same state.
/// - Complexity: An event costs the sum of its costs in the projections that handle it.
public struct Views: Projection {
  public static let name = "views"
  public static let version = 1
  public static let handles = EventTypes.all

  /// The followers and followed users of each user.
  public private(set) var following = FollowLists()
  /// The users' profiles.
  public private(set) var profiles = Profiles()
  /// The friendships and friend requests.
  public private(set) var relationships = Relationships()
  /// The blocks between users.
  public private(set) var blocks = Blocks()
  /// The index for finding profiles.
  public private(set) var search = Search()
  /// The workouts that users have shared.
  public private(set) var workouts = Workouts()
  /// The chups of each workout.
  public private(set) var chups = Chups()
  /// The reactions to each workout.
  public private(set) var reactions = Reactions()
  /// The comments on each workout.
  public private(set) var comments = Comments()
  /// The distance in metres of each user's shared workouts, by week and by month.
  public private(set) var leaderboard = Leaderboard()
  /// The notifications of each user.
  public private(set) var notifications = Notifications()
  /// The groups and their members.
  public private(set) var groups = Groups()
  /// The messages between users.
  public private(set) var conversations = Conversations()
  /// The reports of content.
  public private(set) var reports = Reports()
  private var added = AddedProjections()

  /// Creates the standard projections in their initial state.
  public init() {}

  init(adding added: AddedProjections) { self.added = added }

  /// Passes each projection to the visitor, which may change the projection.
  public mutating func forEach(_ visitor: inout some ProjectionVisitor) {
    visitor.visit(&following)
    visitor.visit(&profiles)
    visitor.visit(&relationships)
    visitor.visit(&blocks)
    visitor.visit(&search)
    visitor.visit(&workouts)
    visitor.visit(&chups)
    visitor.visit(&reactions)
    visitor.visit(&comments)
    visitor.visit(&leaderboard)
    visitor.visit(&notifications)
    visitor.visit(&groups)
    visitor.visit(&conversations)
    visitor.visit(&reports)
    added.forEach(&visitor)
  }
}

/// An operation that works the same way on every projection.
public protocol ProjectionVisitor {
  /// Performs the operation on one projection.
  mutating func visit<P: ExplainedProjection>(_ projection: inout P)
}

struct Applying: ProjectionVisitor {
  let event: Event
  let moment: Moment
  func visit<P: ExplainedProjection>(_ projection: inout P) { projection.apply(event, at: moment) }
}

extension Views {
  /// Applies an event to each projection.
  public mutating func apply(_ event: borrowing Event, at moment: Moment) {
    var visitor = Applying(event: copy event, moment: moment)
    forEach(&visitor)
  }

  public mutating func apply(_ batch: borrowing EventBatch) {
    struct Visitor: ProjectionVisitor {
      let batch: EventBatch
      func visit<P: ExplainedProjection>(_ projection: inout P) { projection.apply(batch) }
    }
    var visitor = Visitor(batch: copy batch)
    forEach(&visitor)
  }

  public mutating func settle() {
    struct Visitor: ProjectionVisitor {
      func visit<P: ExplainedProjection>(_ projection: inout P) { projection.settle() }
    }
    var visitor = Visitor()
    forEach(&visitor)
  }

  public mutating func codeParts(with coder: inout StateCoder) {
    struct Visitor: ProjectionVisitor {
      var coder: StateCoder
      mutating func visit<P: ExplainedProjection>(_ projection: inout P) {
        projection.codeParts(with: &coder)
      }
    }
    var visitor = Visitor(coder: coder)
    forEach(&visitor)
    coder = visitor.coder
  }

  public func brokenInvariant(_ names: Names) -> String? {
    struct Visitor: ProjectionVisitor {
      let names: Names
      var broken: String?
      mutating func visit<P: ExplainedProjection>(_ projection: inout P) {
        broken = broken ?? projection.brokenInvariant(names)
      }
    }
    let broken = looked(Visitor(names: names)).broken ?? tieAcrossBlock(names)
    // For the standard projections, only tests check that `values` and `lists` agree with `facts`.
    return broken ?? added.unexplainedFact(names)
  }

  /// Describes a follow, friendship or friend request that the lists show despite a block between
  /// its two users; nil if there is none.
  /// - Complexity: O(blocks · length of the shorter list of the two users).
  private func tieAcrossBlock(_ names: Names) -> String? {
    for user in names.all(UserID.self) {
      for other in blocks.blocked(by: user) {
        guard let tie = tie(user, other) else { continue }
        return "\(names[user]) blocks \(names[other]), and there is a \(tie) between the two"
      }
    }
    return nil
  }

  private func tie(_ a: UserID, _ b: UserID) -> String? {
    if following.isFollowing(a, b) || following.isFollowing(b, a) { return "follow" }
    return switch relationships[a, b] {
    case .friends: "friendship"
    case .requestSent, .requestReceived: "request"
    case .none, .self: nil
    }
  }

  /// Returns all values with their paths, in no particular order.
  public func facts(_ names: Names) -> [Fact] {
    struct Visitor: ProjectionVisitor {
      let names: Names
      var facts: [Fact] = []
      mutating func visit<P: ExplainedProjection>(_ projection: inout P) {
        facts += projection.facts(names)
      }
    }
    return looked(Visitor(names: names)).facts
  }

  /// Passes a copy of each projection to the visitor, and returns the visitor.
  package func looked<V: ProjectionVisitor>(_ visitor: V) -> V {
    var (copy, visitor) = (self, visitor)
    copy.forEach(&visitor)
    return visitor
  }

  public var appEvents: AppEventTypes { added.appEvents }

  /// The projection of this type, if the app added it; otherwise nil.
  public subscript<P: ExplainedProjection>(type: P.Type) -> P? { added[type] }
}
