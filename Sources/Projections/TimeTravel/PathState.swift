import Events

/// One path's projections after its relevant events, with the same `apply` as in a full replay.
struct PathState {
  private var path: StatePath
  private var text: String
  private var views: Views
  /// By the order of `Views.forEach`: whether the projection has the path's kind.
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

  /// A visitor of only those projections that have the path's kind.
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

  /// Replaces the path by another one of the same kind.
  mutating func look(at path: StatePath) { (self.path, text) = (path, path.text) }
}

extension PathState {
  /// Returns the values under the path, without lists.
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

  /// Returns all facts under the path, sorted by path.
  func facts(_ names: Names) -> [Fact] {
    let facts = values(after: nil, names).facts + lists(names).compactMap { $0.fact }
    return facts.filter { path.contains($0.path) }.sorted { $0.path < $1.path }
  }

  /// Returns the value at exactly this path.
  func value(_ names: Names) -> JSONValue? {
    let found = values(after: nil, names).facts.first { $0.path == text }
    return (found ?? facts(names).first { $0.path == text })?.value
  }
}

extension StateList {
  /// The list as a fact; nil for an empty list.
  var fact: Fact? {
    let hidden = Set(hidden())
    let items = (0..<count).lazy.map(key).filter { !hidden.contains($0) }.map(name)
    return Fact(path, list: isNewestFirst ? items.reversed() : Array(items))
  }
}
