import Events

extension Views {
  /// Takes over the state of one projection.
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
