import Events

extension GeneratedHistory {
  /// The history in a few words, such as `u1 created profile; u2 created profile; u1 followed u2`.
  ///
  /// The words are from the event's type and ids: the actor, the type's last word as a verb, its
  /// other words, and the other ids. Of a long history, the story has only the last twelve events.
  var story: String {
    let first = max(0, count - 12)
    let sentences = zip(entries, newEvents).dropFirst(first).map { entry, event in
      let ids = entry.event.ids.filter { $0 != AnyID(entry.actor) }.map { names[$0] }
      return sentence(actor: event.actor, event.type, ids)
    }
    return (first > 0 ? "after \(first) other events: " : "") + sentences.joined(separator: "; ")
  }

  private func sentence(actor: String, _ type: String, _ ids: [String]) -> String {
    var words: [String] = []
    for letter in type {
      if letter.isUppercase || words.isEmpty { words.append("") }
      words[words.count - 1] += letter.lowercased()
    }
    let last = words.removeLast()
    let verb = ["given": "gave", "withdrawn": "withdrew"][last] ?? last
    // An id names the user or the member.
    let nouns = words.filter { !["user", "member"].contains($0) }
    return ([actor, verb] + nouns + ids).joined(separator: " ")
  }
}
