import Events

// These types have a second form for Embedded Swift, with which the WebAssembly module is built.
// Embedded Swift has no existential values, dynamic casts or threads. So an app cannot add
// projections there, and one thread replays everything.

#if !hasFeature(Embedded)
  /// The projections that an app adds to the standard ones.
  struct AddedProjections: Sendable {
    private var projections: [any ExplainedProjection] = []

    mutating func add<P: ExplainedProjection>(_: P.Type) { projections.append(P()) }

    mutating func forEach(_ visitor: inout some ProjectionVisitor) {
      for index in projections.indices { visitor.visit(&projections[index]) }
    }

    var appEvents: AppEventTypes { projections.reduce(AppEventTypes()) { $0.union($1.appEvents) } }

    func unexplainedFact(_ names: Names) -> String? {
      projections.lazy.compactMap { $0.unexplainedFact(names) }.first
    }

    subscript<P: ExplainedProjection>(type: P.Type) -> P? {
      projections.lazy.compactMap { $0 as? P }.first
    }
  }

  extension Views {
    public static var partCount: Int { 3 }

    /// Returns the part of `Views` that a projection belongs to: 0 for `Notifications`, 1 for the
    /// projections that handle workouts, and 2 for all others.
    ///
    /// Each part takes about as long to replay as the state of a core's deciders.
    package static func part<P: Projection>(of _: P.Type) -> Int {
      if P.self == Notifications.self { return 0 }
      return P.handles.contains(.workoutShared) ? 1 : 2
    }

    public mutating func apply(_ batches: [EventBatch], toPart part: Int) {
      struct Visitor: ProjectionVisitor {
        let batches: [EventBatch]
        let part: Int
        func visit<P: ExplainedProjection>(_ projection: inout P) {
          guard Views.part(of: P.self) == part else { return }
          for batch in batches { projection.apply(batch) }
        }
      }
      var visitor = Visitor(batches: batches, part: part)
      forEach(&visitor)
    }

    public mutating func takePart(_ part: Int, of other: Views) {
      struct Visitor: ProjectionVisitor {
        let part: Int
        var views: Views
        mutating func visit<P: ExplainedProjection>(_ projection: inout P) {
          if Views.part(of: P.self) == part { views.take(projection) }
        }
      }
      self = other.looked(Visitor(part: part, views: self)).views
    }

    /// Replaces the projection that has the type of `state` by `state`.
    package mutating func take(_ state: some ExplainedProjection) {
      var visitor = Taking(state: state)
      forEach(&visitor)
    }
  }

  private struct Taking<P: ExplainedProjection>: ProjectionVisitor {
    let state: P

    func visit<Q: ExplainedProjection>(_ projection: inout Q) {
      if let state = state as? Q { projection = state }
    }
  }
#else
  struct AddedProjections: Sendable {
    mutating func add<P: ExplainedProjection>(_: P.Type) {}
    mutating func forEach(_ visitor: inout some ProjectionVisitor) {}
    var appEvents: AppEventTypes { AppEventTypes() }
    func unexplainedFact(_ names: Names) -> String? { nil }
    subscript<P: ExplainedProjection>(type: P.Type) -> P? { nil }
  }
#endif
