import Events
import Projections

extension Everything {
  func differenceInGroups(from naive: NaiveModel, _ user: UserID) -> String? {
    let mine = naive.members.filter { naive.groups[$0.key] != nil && $0.value.contains(user) }
    if Set(groups.groups(of: user)) != Set(mine.keys) { return "groups" }
    for other in conversations.partners(of: user) {
      let messages = naive.talks[[user, other]] ?? []
      if Array(conversations.messages(user, other)) != messages { return "messages" }
      let unread = messages.count {
        user != other && naive.messages[$0]?.sender == other
          && !naive.hasRead(user, of: other, naive.messages[$0]!.seq)
      }
      if conversations.unread(by: user, from: other) != unread { return "unread messages" }
    }
    return nil
  }

  func difference(from naive: NaiveModel, _ id: GroupID) -> String? {
    if groups[id] != naive.groups[id] { return "\(String(describing: groups[id]))" }
    guard groups[id] != nil else { return nil }
    if groups.members(of: id).reversed() != naive.members[id] ?? [] { return "members" }
    if groups.waiting(for: id).reversed() != naive.waiting[id] ?? [] { return "waiting" }
    for (user, standing) in naive.standings[id] ?? [:] where groups.standing(id, user) != standing {
      return "\(groups.standing(id, user)), not \(standing)"
    }
    return nil
  }

  func difference(from naive: NaiveModel, _ id: MessageID) -> String? {
    var message = naive.messages[id]
    if let sender = message?.sender, naive.deleted.contains(sender) { message?.sender = nil }
    return conversations[id] == message ? nil : "\(String(describing: conversations[id]))"
  }
}
