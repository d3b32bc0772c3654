import Events

extension StatePath.Kind {
  /// The path `search/USER`: the text of the user's profile that a search matches.
  public static let search = StatePath.Kind(
    "search", "text of the profile that a search matches", of: ["USER"], root: .text,
    types: Search.handles, sources: [.profile])
}

extension Search: ExplainedProjection {
  public static let kinds: [StatePath.Kind] = [.search]

  public func values(under path: StatePath, after event: Event?, _ names: Names) -> Values {
    guard let user = names.find(user: path.ids[0]), let text = text(of: user) else {
      return Values()
    }
    return Values(Fact(names.path("search", user), .string(text.words)))
  }
}
