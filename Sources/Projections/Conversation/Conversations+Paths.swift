import Events

extension StatePath.Kind {
  /// `conversation/USER/USER`: its messages, whichever user is named first.
  public static let conversation = StatePath.Kind(
    "conversation", "the messages of the two, oldest first", of: ["USER", "USER"],
    root: .list(of: .message), types: Conversations.handles, sources: [.conversation],
    leads: messages)

  /// `unread/USER/USER`.
  public static let unread = StatePath.Kind(
    "unread", "how many messages of the second the first has not read", of: ["USER", "USER"],
    root: .number, types: Conversations.handles, sources: [.conversation], leads: messages)

  // An import may send or remove one message twice, in several conversations.
  private static let messages: [EventType: [EventIndex.Role]] = [.messageSent: [.message]]

  /// `message/MESSAGE.MEMBER`.
  public static let message = StatePath.Kind(
    "message", ".text, .sender, .receiver", of: ["MESSAGE"],
    members: [
      "sender": .id(of: .user), "receiver": .id(of: .user), "text": .text,
      "time": .text.set(by: [.messageSent]),
    ],
    types: Conversations.handles, sources: [.message])
}

extension Conversations: ExplainedProjection {
  public static let kinds: [StatePath.Kind] = [.conversation, .unread, .message]

  public static func touches(_ event: borrowing Event, _ names: Names) -> [Touch] {
    func both(_ kind: StatePath.Kind, _ a: UserID, _ b: UserID) -> [Touch] {
      [.path(kind, [names[a], names[b]]), .path(kind, [names[b], names[a]])]
    }
    func sent(_ event: Event) -> [Touch] {
      guard case .conversation(.sent(let data)) = event else { return [] }
      return [.path(.message, data.message, names)]
    }
    switch event {
    case .conversation(.sent(let data)):
      return sent(copy event) + both(.conversation, data.sender, data.receiver)
        + both(.unread, data.sender, data.receiver)
    case .conversation(.removed(let data)):
      // It may have been sent to somebody else.
      return [
        .each(EventIndex.Key(.message, data.message)) { event in
          guard case .conversation(.sent(let data)) = event else { return [] }
          return sent(event) + both(.conversation, data.sender, data.receiver)
            + both(.unread, data.sender, data.receiver)
        }
      ]
    case .conversation(.read(let data)): return both(.unread, data.user, data.other)
    case .accountDeleted(let data):
      return [.each(EventIndex.Key(.conversation, data.user), sent)]
    default: return []
    }
  }

  public func facts(_ names: Names) -> [Fact] {
    let pairs = names.users().flatMap { user in partners(of: user).map { (user, $0) } }
    return names.all(MessageID.self).flatMap { facts(about: $0, names) }
      + pairs.flatMap { user, other in
        [unreadFact(user, other, names), fact(user, other, names)].compactMap { $0 }
      }
  }

  func facts(about id: MessageID, _ names: Names) -> [Fact] {
    guard let message = self[id] else { return [] }
    return Projections.facts(
      names.path("message", id),
      [
        ("sender", text(message.sender.map { names[$0] })),
        ("receiver", text(names[message.receiver])), ("text", text(message.text)),
        ("time", text("\(message.time)")),
      ])
  }

  private func fact(_ user: UserID, _ other: UserID, _ names: Names) -> Fact? {
    Fact(
      Self.path("conversation", user, other, names), list: messages(user, other).map { names[$0] })
  }

  private func unreadFact(_ user: UserID, _ other: UserID, _ names: Names) -> Fact? {
    let count = unread(by: user, from: other)
    return count == 0 ? nil : Fact(Self.path("unread", user, other, names), .int(count))
  }

  private static func path(
    _ kind: String, _ user: UserID, _ other: UserID, _ names: Names
  ) -> String {
    "\(names.path(kind, user))/\(pathWord(names[other]))"
  }

  public func values(under path: StatePath, after event: Event?, _ names: Names) -> Values {
    if path.kind == .message {
      let id: MessageID? = names.find(path.ids[0])
      return Values(id.map { facts(about: $0, names) } ?? [])
    }
    guard path.kind == .unread, let user = names.find(user: path.ids[0]) else { return Values() }
    let others =
      path.ids.count == 2
      ? names.find(user: path.ids[1]).map { [$0] } ?? [] : partners(of: user)
    return Values(others.compactMap { unreadFact(user, $0, names) })
  }

  public func lists(under path: StatePath, _ names: Names) -> [StateList] {
    guard path.kind == .conversation, let user = names.find(user: path.ids[0]) else { return [] }
    let others =
      path.ids.count == 2
      ? names.find(user: path.ids[1]).map { [$0] } ?? [] : partners(of: user)
    return others.map { other in
      let messages = messages(user, other)
      let start = messages.startIndex
      var list = StateList(
        Self.path("conversation", user, other, names), count: messages.count,
        key: { UInt64(messages[start + $0].index) },
        name: { names[MessageID(index: UInt32($0))] })
      list.isNewestFirst = false
      return list
    }
  }
}
