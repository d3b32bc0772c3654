import Events

/// The projections that interpret a log: the standard ones and those that an app adds.
///
/// ```swift
/// Catalogue.standard.names.first  // "followers"
/// Catalogue.standard.kind("comments")?.idNames  // ["WORKOUT"]
/// ```
/// An app with its own projection passes `Catalogue.standard.adding(Mine.self)` to `TimeTravel`,
/// `StatePath` and `Core`.
public struct Catalogue: Sendable {
  /// The catalogue of the standard projections.
  public static let standard = Catalogue()

  private var added = AddedProjections()
  /// The kinds of paths of all projections in this catalogue, sorted by name.
  public private(set) var kinds: [StatePath.Kind] = []
  /// The names of the projections, in the order in which they are displayed.
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

  /// Passes each projection, in its initial state, to the visitor, and returns the visitor. Begins
  /// with `FollowerRanking`; the projections that a core keeps follow.
  package func visited<V: ProjectionVisitor>(by visitor: V) -> V {
    var (ranking, visitor) = (FollowerRanking(), visitor)
    visitor.visit(&ranking)
    return views().looked(visitor)
  }

  /// Returns the projections that a core keeps, in their initial state.
  public func views() -> Views { Views(adding: added) }

  /// Returns the kind of paths that begin with `name`; nil if there is none.
  public func kind(_ name: String) -> StatePath.Kind? { kinds.first { $0.name == name } }

  /// The types of the app's own events that the projections handle.
  package var appEvents: AppEventTypes { views().appEvents }

  /// Returns this catalogue with one more projection.
  /// - Precondition: No projection of this catalogue has the new projection's name. If two
  ///   projections declare kinds of paths with the same name, these kinds are equal. If the new
  ///   projection handles an app's own events, its `appEvents` lists their types.
  public func adding<P: ExplainedProjection>(_ type: P.Type) -> Catalogue {
    precondition(!names.contains(P.name), "there is already a projection '\(P.name)'")
    precondition(
      !P.handles.contains(.app) || !P().appEvents.isEmpty,
      "the projection '\(P.name)' handles .app but lists no types in appEvents")
    var copy = self
    copy.added.add(type)
    copy.list()
    return copy
  }
}
