// What has no type here: events of apps, and members of the envelope that others have added.
extension Rewriter {
  /// The event of an app's as the new log has it: texts that are the id of a person are replaced,
  /// and of a type that is known, its personal members go.
  mutating func rewritten(_ recorded: RecordedEvent, _ record: AppRecord) -> Change? {
    var new = recorded
    var others = pseudonyms
    for id in record.ids where rename(id) != id { others[names[id]] = names[rename(id)] }
    var isChanged = false
    let data = (try? JSONValue(object: recorded.data)) ?? .object([])
    var copy = data.replacing(others)
    let actor = names.find(user: recorded.actor).flatMap { numbers[$0] }
    if copy != data || actor != nil {
      if let type = names.appEvents[recorded.type] {
        copy = copy.blanking(type.personal)
      } else {
        untyped[recorded.type, default: 0] += 1
      }
    }
    if copy != data { (new.data, isChanged) = (Array(copy.text.utf8), true) }
    let parts = recorded.stream.split(separator: "/").map { others[String($0)] ?? String($0) }
    let stream = parts.joined(separator: "/")
    if stream != recorded.stream { (new.stream, isChanged) = (stream, true) }
    return finish(new, isChanged: isChanged)
  }

  /// The pseudonyms of the people by their ids.
  private var pseudonyms: [String: String] {
    Dictionary(people.map { ($0.name, $0.pseudonym) }) { $1 }
  }

  /// Whether an event of an unknown type has the id of a person in it.
  func names(somebody event: RecordedEvent) -> Bool {
    let known = pseudonyms
    let data = (try? JSONValue(object: event.data)) ?? .null
    return known[event.actor] != nil || data.replacing(known) != data
      || event.stream.split(separator: "/").contains { known[String($0)] != nil }
  }

  /// The unknown members of an envelope with the ids of people replaced; nil if none is in them.
  func replaced(extra: [UInt8]) -> [UInt8]? {
    guard !extra.isEmpty,
      let value = try? JSONValue(object: [UInt8(ascii: "{")] + extra.dropFirst() + [UInt8(ascii: "}")])
    else { return nil }
    let new = value.replacing(pseudonyms)
    return new == value ? nil : [UInt8(ascii: ",")] + new.text.utf8.dropFirst().dropLast()
  }
}

extension JSONValue {
  /// The value with texts replaced by others.
  fileprivate func replacing(_ texts: [String: String]) -> JSONValue {
    switch self {
    case .null, .bool, .number: self
    case .string(let text): .string(texts[text] ?? text)
    case .array(let values): .array(values.map { $0.replacing(texts) })
    case .object(let members):
      .object(members.map { Member($0.name, $0.value.replacing(texts)) })
    }
  }

  /// The object without what some of its members said.
  fileprivate func blanking(_ names: [String]) -> JSONValue {
    guard case .object(let members) = self else { return self }
    return .object(members.map { Member($0.name, names.contains($0.name) ? $0.value.blank : $0.value) })
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
