import Events

extension StatePath.Kind {
  /// `blocks/USER`.
  public static let blocks = StatePath.Kind(
    "blocks", "whom the user blocks, newest first", of: ["USER"], root: .list(of: .user),
    types: Blocks.handles, visible: .block, sources: [.block])
}

extension Blocks: ExplainedProjection {
  public static let kinds: [StatePath.Kind] = [.blocks]

  public static func touches(_ event: borrowing Event, _ names: Names) -> [Touch] {
    switch event {
    case .block(.blocked(let data)), .block(.unblocked(let data)):
      [.path(.blocks, data.user, names)]
    case .accountDeleted(let data):
      [
        .path(.blocks, data.user, names),
        .each(EventIndex.Key(.block, data.user)) { touches($0, names) },
      ]
    default: []
    }
  }

  public func facts(_ names: Names) -> [Fact] {
    names.users().compactMap {
      Fact(names.path("blocks", $0), list: names.list(blocked(by: $0)))
    }
  }

  public func values(under path: StatePath, after event: Event?, _ names: Names) -> Values {
    Values()
  }

  public func lists(under path: StatePath, _ names: Names) -> [StateList] {
    guard let user = names.find(user: path.ids[0]) else { return [] }
    return [
      StateList(names.path("blocks", user), blocked(by: user), names) { isBlocking(user, $0) }
    ]
  }
}
