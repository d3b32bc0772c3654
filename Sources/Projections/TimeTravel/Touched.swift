import Events

/// Finds whose state some events can have changed; may return too much, but never too little.
enum Touched {
  /// The events at some positions, and the paths that they can affect.
  static func paths(
    by positions: [UInt64], _ view: some History, _ index: Replay<EventIndex>,
    _ catalogue: Catalogue
  ) throws(LogError) -> (events: [Timeline.Cause], paths: [StatePath]) {
    var names = index.names
    var events: [KnownEvent] = []
    try view.forEachEvent(at: positions, &names) { events.append($0) }
    var found: Set<StatePath> = []
    var visitor = Visitor(names: names)
    var views = catalogue.views()
    for known in events {
      visitor.event = known.event
      views.forEach(&visitor)
    }
    while let touch = visitor.touches.popLast() {
      switch touch {
      case .path(let kind, let ids): found.insert(StatePath(kind: kind, ids: ids))
      case .each(let key, let lead):
        try view.forEachEvent(at: index.projection.positions(key), &names) {
          visitor.touches += lead($0.event)
        }
      }
    }
    return (
      events.map { Timeline.Cause($0, names) }, found.sorted { $0.text < $1.text }
    )
  }

  private struct Visitor: ProjectionVisitor {
    let names: Names
    var event: Event?
    var touches: [Touch] = []
    mutating func visit<P: ExplainedProjection>(_ projection: inout P) {
      if let event { touches += P.touches(event, names) }
    }
  }
}
