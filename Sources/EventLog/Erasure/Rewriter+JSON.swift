import Events

// What has no type here: events of apps, and members of the envelope that others have added.
extension Rewriter {
  /// The event of an app's as the new log has it: texts and names of members that say the id or the
  /// handle of a person are changed, and of a type that is known, its personal members go.
  mutating func rewritten(_ recorded: RecordedEvent, _ record: AppRecord) -> Change? {
    var new = recorded
    var others = pseudonyms
    for id in record.ids where rename(id) != id { others[names[id]] = names[rename(id)] }
    var isChanged = false
    let data = (try? JSONValue(object: recorded.data)) ?? .object([])
    var copy = data.mapping { scrubbed($0, others) }
    let actor = names.find(user: recorded.actor).flatMap { numbers[$0] }
    if copy != data || actor != nil {
      if let type = names.appEvents[recorded.type] {
        copy = copy.blanking(type.personal)
      } else {
        untyped[recorded.type, default: 0] += 1
      }
    }
    if copy != data { (new.data, isChanged) = (Array(copy.text.utf8), true) }
    let stream = scrubbed(stream: recorded.stream, others)
    if stream != recorded.stream { (new.stream, isChanged) = (stream, true) }
    return finish(new, isChanged: isChanged)
  }

  /// What stands in place of the ids and handles of the people.
  private var pseudonyms: [String: String] {
    handles.merging(people.map { ($0.name, $0.pseudonym) }) { $1 }
  }

  /// A text of which nothing is known but that it may name somebody: as a whole, or, by a name of
  /// some length, within it.
  private func scrubbed(_ text: String, _ others: [String: String]) -> String {
    if let other = others[text] { return other }
    var bytes = Array(text.utf8)
    var isChanged = false
    for (name, other) in others where name.utf8.count >= Self.longName {
      let name = name.utf8.map(WordSearch.lowercased)
      var at = 0
      while at + name.count <= bytes.count {
        if name.indices.allSatisfy({ WordSearch.lowercased(bytes[at + $0]) == name[$0] }) {
          bytes.replaceSubrange(at..<at + name.count, with: other.utf8)
          (at, isChanged) = (at + other.utf8.count, true)
        } else {
          at += 1
        }
      }
    }
    return isChanged ? String(decoding: bytes, as: UTF8.self) : text
  }

  private func scrubbed(stream: String, _ others: [String: String]) -> String {
    stream.split(separator: "/").map { part in
      let new = scrubbed(String(part), others)
      return isValidID(new.utf8) ? new : Pseudonym.make(random())
    }.joined(separator: "/")
  }

  /// Whether an event of an unknown type has the name of a person in it.
  func names(somebody event: RecordedEvent) -> Bool {
    let known = pseudonyms
    let data = (try? JSONValue(object: event.data)) ?? .null
    return known[event.actor] != nil || data.mapping { scrubbed($0, known) } != data
      || scrubbed(stream: event.stream, known) != event.stream
  }

  /// The unknown members of an envelope without the names of people; nil if none is in them.
  func replaced(extra: [UInt8]) -> [UInt8]? {
    guard !extra.isEmpty,
      let value = try? JSONValue(object: Array("{".utf8) + extra.dropFirst() + Array("}".utf8))
    else { return nil }
    let known = pseudonyms
    let new = value.mapping { scrubbed($0, known) }
    return new == value ? nil : Array(",".utf8) + new.text.utf8.dropFirst().dropLast()
  }
}

extension JSONValue {
  /// The value with all texts and names of members mapped.
  fileprivate func mapping(_ map: (String) -> String) -> JSONValue {
    switch self {
    case .null, .bool, .number: self
    case .string(let text): .string(map(text))
    case .array(let values): .array(values.map { $0.mapping(map) })
    case .object(let members):
      .object(members.map { Member(map($0.name), $0.value.mapping(map)) })
    }
  }

  /// The object without what some of its members said.
  fileprivate func blanking(_ names: [String]) -> JSONValue {
    guard case .object(let members) = self else { return self }
    return .object(
      members.map { Member($0.name, names.contains($0.name) ? $0.value.blank : $0.value) })
  }

  private var blank: JSONValue {
    switch self {
    case .null, .bool: self
    case .number: .number("0")
    case .string: .string("-")
    case .array: .array([])
    case .object: .object([])
    }
  }
}
