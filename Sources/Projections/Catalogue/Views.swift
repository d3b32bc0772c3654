import Events

/// The projections that a core keeps: the single place that lists them.
///
/// Replays, checkpoints, comparisons, paths, time travel and the use cases' answers derive from
/// `forEach`. `FollowerRanking` is not among them: `following` and `profiles` have what it has.
/// - Complexity: an event costs the sum of its costs in the projections that handle it.
public struct Views: Projection {
  public static let name = "views"
  public static let version = 1
  public static let handles = EventTypes.all

  public private(set) var following = FollowLists()
  public private(set) var profiles = Profiles()
  public private(set) var relationships = Relationships()
  public private(set) var blocks = Blocks()
  public private(set) var search = Search()
  public private(set) var workouts = Workouts()
  public private(set) var chups = Chups()
  public private(set) var reactions = Reactions()
  public private(set) var comments = Comments()
  public private(set) var leaderboard = Leaderboard()
  public private(set) var notifications = Notifications()
  public private(set) var groups = Groups()
  public private(set) var conversations = Conversations()
  public private(set) var reports = Reports()
  /// The app's own.
  private var added = AddedProjections()

  public init() {}

  /// Adds an app's projections to the standard ones.
  init(adding added: AddedProjections) { self.added = added }

  /// Calls the visitor with each projection, which it may change.
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

/// An operation that is the same for every projection.
public protocol ProjectionVisitor {
  mutating func visit<P: ExplainedProjection>(_ projection: inout P)
}

/// Applies an event.
struct Applying: ProjectionVisitor {
  let event: Event
  let moment: Moment
  func visit<P: ExplainedProjection>(_ projection: inout P) { projection.apply(event, at: moment) }
}

extension Views {
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
    // Only tests check this of the standard projections.
    return broken ?? added.unexplainedFact(names)
  }

  /// Describes a follow, friendship or request that is listed although one of the two blocks the
  /// other; nil if there is none.
  /// - Complexity: O(blocks · the shorter list of the two).
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

  /// All pieces of state by path, in no particular order.
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

  /// The visitor after it has visited each projection; changes to the projections are discarded.
  package func looked<V: ProjectionVisitor>(_ visitor: V) -> V {
    var (copy, visitor) = (self, visitor)
    copy.forEach(&visitor)
    return visitor
  }

  public var appEvents: AppEventTypes { added.appEvents }

  /// The projection of a type that an app added; nil if there is none.
  public subscript<P: ExplainedProjection>(type: P.Type) -> P? { added[type] }
}
