import Events

extension StatePath.Kind {
  /// The path `blocks/USER`: the users whom the user blocks.
  public static let blocks = StatePath.Kind(
    "blocks", "users whom the user blocks, newest first", of: ["USER"], root: .list(of: .user),
    types: Blocks.handles, visible: .block, sources: [.block])
}

extension Blocks: ExplainedProjection {
  public static let kinds: [StatePath.Kind] = [.blocks]

  public func lists(under path: StatePath, _ names: Names) -> [StateList] {
    guard let user = names.find(user: path.ids[0]) else { return [] }
    return [
      StateList(names.path("blocks", user), blocked(by: user), names) { isBlocking(user, $0) }
    ]
  }
}
