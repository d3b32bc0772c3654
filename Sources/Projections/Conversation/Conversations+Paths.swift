import Events

extension StatePath.Kind {
  /// The path `conversation/USER/USER`: the messages between two users, named in either order.
  public static let conversation = StatePath.Kind(
    "conversation", "messages between the users, oldest first", of: ["USER", "USER"],
    root: .list(of: .message), types: Conversations.handles, sources: [.conversation],
    leads: messages)

  /// The path `unread/USER/USER`: the number of the second user's messages unread by the first.
  public static let unread = StatePath.Kind(
    "unread", "number of unread messages to the first user from the second", of: ["USER", "USER"],
    root: .number, types: Conversations.handles, sources: [.conversation], leads: messages)

  // An imported log may send or remove the same message in several conversations.
  private static let messages: [EventType: [EventIndex.Role]] = [.messageSent: [.message]]

  /// The paths `message/MESSAGE.MEMBER`: one for each field of a message.
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

  public func values(under path: StatePath, after event: Event?, _ names: Names) -> Values {
    if path.kind == .message {
      guard let id: MessageID = names.find(path.ids[0]), let message = self[id] else {
        return Values()
      }
      return Values(
        names.path("message", id),
        [
          ("sender", text(message.sender.map { names[$0] })),
          ("receiver", text(names[message.receiver])), ("text", text(message.text)),
          ("time", text("\(message.time)")),
        ])
    }
    guard path.kind == .unread else { return Values() }
    return Values(
      pairs(path, names).compactMap { user, other in
        let count = unread(by: user, from: other)
        return count == 0
          ? nil : Fact(names.path("unread", user) + "/" + pathWord(names[other]), .int(count))
      })
  }

  public func lists(under path: StatePath, _ names: Names) -> [StateList] {
    guard path.kind == .conversation else { return [] }
    return pairs(path, names).map { user, other in
      var list = StateList(
        names.path("conversation", user) + "/" + pathWord(names[other]),
        ids: messages(user, other), names)
      list.isNewestFirst = false
      return list
    }
  }

  /// Returns the pairs of users whose conversations the path means. A path with only one user means
  /// that user's conversations with each partner.
  private func pairs(_ path: StatePath, _ names: Names) -> [(UserID, UserID)] {
    guard let user = names.find(user: path.ids[0]) else { return [] }
    if path.ids.count < 2 { return partners(of: user).map { (user, $0) } }
    return names.find(user: path.ids[1]).map { [(user, $0)] } ?? []
  }
}
