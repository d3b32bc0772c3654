import Events

/// The projections that hold one path's state, after only the relevant events, through the same
/// `apply` as in a full replay.
struct PathState {
  private var path: StatePath
  private var text: String
  private var views: Views
  /// Which projections have the path's kind, in the order of `Views.forEach`.
  private let isAsked: [Bool]

  init(_ path: StatePath, _ catalogue: Catalogue) {
    (self.path, text) = (path, path.text)
    views = catalogue.views()
    struct Visitor: ProjectionVisitor {
      let kind: StatePath.Kind
      var isAsked: [Bool] = []
      mutating func visit<P: ExplainedProjection>(_ projection: inout P) {
        isAsked.append(P.kinds.contains(kind))
      }
    }
    isAsked = views.looked(Visitor(kind: path.kind)).isAsked
  }

  /// The state after some events.
  init(_ path: StatePath, _ catalogue: Catalogue, _ events: some Sequence<KnownEvent>) {
    self.init(path, catalogue)
    apply(events)
  }

  mutating func apply(_ events: some Sequence<KnownEvent>) {
    for known in events { apply(known.event, at: known.moment) }
  }

  mutating func apply(_ event: Event, at moment: Moment) {
    var asked = Asked(visitor: Applying(event: event, moment: moment), isAsked: isAsked)
    views.forEach(&asked)
  }

  /// Passes only the projections that have the path's kind.
  private struct Asked<V: ProjectionVisitor>: ProjectionVisitor {
    var visitor: V
    let isAsked: [Bool]
    var number = 0
    mutating func visit<P: ExplainedProjection>(_ projection: inout P) {
      if isAsked[number] { visitor.visit(&projection) }
      number += 1
    }
  }

  private func asked<V: ProjectionVisitor>(_ visitor: V) -> V {
    views.looked(Asked(visitor: visitor, isAsked: isAsked)).visitor
  }

  /// Switches to another path of the same kind.
  mutating func look(at path: StatePath) { (self.path, text) = (path, path.text) }
}

extension PathState {
  /// The pieces of state under the path, except lists.
  func values(after event: Event?, _ names: Names) -> Values {
    if path.members.last == "count", !path.kind.countsEmptyLists {
      let list = lists(names).first { $0.path + ".count" == text }
      return Values(list.map { [Fact(text, .int($0.count - $0.hidden().count))] } ?? [])
    }
    struct Visitor: ProjectionVisitor {
      let (path, event, names): (StatePath, Event?, Names)
      var found = Values()
      mutating func visit<P: ExplainedProjection>(_ projection: inout P) {
        let values = projection.values(under: path, after: event, names)
        found.facts += values.facts
        found.isWhole = found.isWhole && values.isWhole
      }
    }
    return asked(Visitor(path: path, event: event, names: names)).found
  }

  /// The lists under the path.
  func lists(_ names: Names) -> [StateList] {
    struct Visitor: ProjectionVisitor {
      let (path, names): (StatePath, Names)
      var found: [StateList] = []
      mutating func visit<P: ExplainedProjection>(_ projection: inout P) {
        found += projection.lists(under: path, names)
      }
    }
    return asked(Visitor(path: path, names: names)).found
  }

  /// All pieces of state under the path.
  func facts(_ names: Names) -> [Fact] {
    let facts = values(after: nil, names).facts + lists(names).compactMap { $0.fact }
    return facts.filter { path.contains($0.path) }.sorted { $0.path < $1.path }
  }

  /// The piece of state at exactly this path.
  func value(_ names: Names) -> JSONValue? {
    let found = values(after: nil, names).facts.first { $0.path == text }
    return (found ?? facts(names).first { $0.path == text })?.value
  }
}

extension StateList {
  /// The list as a piece of state; nil for an empty one.
  var fact: Fact? {
    let hidden = Set(hidden())
    let items = (0..<count).lazy.map(key).filter { !hidden.contains($0) }.map(name)
    return Fact(path, list: isNewestFirst ? items.reversed() : Array(items))
  }
}
