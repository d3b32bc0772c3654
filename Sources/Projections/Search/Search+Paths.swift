import Events

extension StatePath.Kind {
  /// `search/USER`: the words that a search for the user matches.
  public static let search = StatePath.Kind(
    "search", "what a search for profiles looks at", of: ["USER"], root: .text,
    types: Search.handles, sources: [.profile])
}

extension Search: ExplainedProjection {
  public static let kinds: [StatePath.Kind] = [.search]

  public static func touches(_ event: borrowing Event, _ names: Names) -> [Touch] {
    switch event {
    case .profile(.created(let data)): [.path(.search, data.user, names)]
    case .profile(.edited(let data)): [.path(.search, data.user, names)]
    case .accountDeleted(let data): [.path(.search, data.user, names)]
    default: []
    }
  }

  public func facts(_ names: Names) -> [Fact] {
    names.users().compactMap { fact(about: $0, names) }
  }

  func fact(about user: UserID, _ names: Names) -> Fact? {
    text(of: user).map { Fact(names.path("search", user), .string($0.words)) }
  }

  public func values(under path: StatePath, after event: Event?, _ names: Names) -> Values {
    let found = names.find(user: path.ids[0]).flatMap { fact(about: $0, names) }
    return Values(found.map { [$0] } ?? [])
  }

  public func lists(under path: StatePath, _ names: Names) -> [StateList] { [] }
}
