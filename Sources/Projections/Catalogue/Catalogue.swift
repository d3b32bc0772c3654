import Events

/// The projections through which a log is read: the standard ones, and an app's own if it adds any.
///
/// ```swift
/// Catalogue.standard.names.first  // "followers"
/// Catalogue.standard.kind("comments")?.idNames  // ["WORKOUT"]
/// ```
/// An app with a projection of its own passes `Catalogue.standard.adding(Mine.self)` to what reads
/// logs: `TimeTravel`, `StatePath`, `Core`.
public struct Catalogue: Sendable {
  public static let standard = Catalogue()

  private var added = AddedProjections()
  /// The kinds of paths, sorted by name.
  public private(set) var kinds: [StatePath.Kind] = []
  /// The projections' names, in the order in which they are shown.
  public private(set) var names: [String] = []

  private init() { list() }

  private mutating func list() {
    struct Visitor: ProjectionVisitor {
      var kinds: [StatePath.Kind] = []
      var names: [String] = []
      mutating func visit<P: ExplainedProjection>(_ projection: inout P) {
        names.append(P.name)
        kinds += P.kinds.filter { !kinds.contains($0) }
      }
    }
    let all = visited(by: Visitor())
    names = all.names
    kinds = all.kinds.sorted { $0.name < $1.name }
  }

  /// The visitor after it has visited each projection in its initial state: `FollowerRanking`, then
  /// those that a core keeps.
  package func visited<V: ProjectionVisitor>(by visitor: V) -> V {
    var (ranking, visitor) = (FollowerRanking(), visitor)
    visitor.visit(&ranking)
    return views().looked(visitor)
  }

  /// The projections that a core keeps, in their initial state.
  public func views() -> Views { Views(adding: added) }

  /// The kind whose paths begin with `name`; nil if there is none.
  public func kind(_ name: String) -> StatePath.Kind? { kinds.first { $0.name == name } }

  /// The types of an app's own events that its projections read.
  package var appEvents: AppEventTypes { views().appEvents }

  /// This catalogue with one more projection.
  /// - Precondition: the catalogue has no projection of this name, and no different kind under
  ///   the name of one of its kinds; a projection that handles events of an app's lists their
  ///   types.
  public func adding<P: ExplainedProjection>(_ type: P.Type) -> Catalogue {
    precondition(!names.contains(P.name), "there is a projection '\(P.name)' already")
    precondition(
      !P.handles.contains(.app) || !P().appEvents.isEmpty,
      "the projection '\(P.name)' handles events of an app's, and lists none in appEvents")
    var copy = self
    copy.added.add(type)
    copy.list()
    return copy
  }
}
