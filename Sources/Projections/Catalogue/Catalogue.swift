import Events

/// The projections that a log is looked at through: those of every app, and perhaps an app's own.
///
/// ```swift
/// Catalogue.standard.names.first  // "followers"
/// Catalogue.standard.kind("comments")?.idNames  // ["WORKOUT"]
/// ```
/// An app whose module has a projection of its own passes `Catalogue.standard.adding(Mine.self)` to
/// what reads logs: `TimeTravel`, `StatePath`, `Core`.
public struct Catalogue: Sendable {
  public static let standard = Catalogue()

  #if !hasFeature(Embedded)  // which has no existentials of this kind
    private var added: [any ExplainedProjection.Type] = []
  #endif
  /// The kinds of paths there are, in the order of their names.
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
    let all = views().looked(Visitor())
    names = all.names
    kinds = all.kinds.sorted { $0.name < $1.name }
  }

  /// All of them, of the empty log.
  public func views() -> Views {
    #if hasFeature(Embedded)
      Views()
    #else
      Views(adding: added)
    #endif
  }

  /// The kind whose paths begin with a word; nil for a word that none begins with.
  public func kind(_ name: String) -> StatePath.Kind? { kinds.first { $0.name == name } }

  #if !hasFeature(Embedded)
    /// This catalogue with one more projection.
    /// - Precondition: neither its name nor one of its kinds is there already, unless the kind is
    ///   the same.
    public func adding<P: ExplainedProjection>(_ type: P.Type) -> Catalogue {
      precondition(!names.contains(P.name), "there is a projection '\(P.name)' already")
      var copy = self
      copy.added.append(type)
      copy.list()
      return copy
    }
  #endif
}
