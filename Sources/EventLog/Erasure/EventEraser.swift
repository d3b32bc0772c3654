import Events

/// A converter from a log's events to events without the erased people's names and texts.
///
/// It reads the events in log order three times. The first pass finds the owners of items
/// (`learn`). The second finds the events that change (`rewritten`). The third writes these events
/// (`rewritten` of the copy that `again` returns).
struct EventEraser: Sendable {
  /// The least length, in bytes, of a person's id that is searched for in all texts and in the ids
  /// of all items.
  static let longName = 6

  var names = Names()
  private var parser = LineParser()
  let request: ForgettingRequest
  let random: @Sendable () -> (UInt64, UInt64)
  private(set) var people: [ForgettingSurvey.Person] = []
  private(set) var numbers: [UserID: Int] = [:]
  private(set) var handles: [String: String] = [:]
  /// Revisions by stream. For a group or a profile, the last revision, if `learn` received all the
  /// stream's events. For another stream, the revision of any one of the stream's events.
  private(set) var revisions: [String: UInt64] = [:]
  /// The items that the erased people created.
  private(set) var made: Set<AnyID> = []
  /// The requested items, whose texts are erased.
  private(set) var blanked: Set<AnyID> = []
  private(set) var metItems: Set<AnyID> = []
  /// By old id: the new id. It has the erased people's ids, and each id that `rename` has checked;
  /// an id that does not change maps to itself.
  var renamed: [AnyID: AnyID] = [:]
  private(set) var ids: [EventID: EventID] = [:]
  private var placeholders = Placeholders()
  /// The handles and long ids of the erased people. Another person's text with one of them is a
  /// mention.
  private(set) var words = WordSearch([])
  /// The handles, ids and display names that the reason and the names of bookmarks must not
  /// contain.
  private(set) var allWords = WordSearch([])
  private var displayNames: Set<String> = []
  private(set) var mentions: [Mention] = []
  /// The ids of other events to which the last rewritten event refers.
  private(set) var references: [EventID] = []
  /// For each unknown type, the number of its events in which only ids were replaced.
  var untyped: [String: Int] = [:]

  init(
    _ request: ForgettingRequest, random: @escaping @Sendable () -> (UInt64, UInt64)
  ) throws(InvalidID) {
    (self.request, self.random) = (request, random)
    names.appEvents = request.appEvents
    for name in request.people {
      let id = try names.user(name)
      if numbers[id] != nil { continue }
      numbers[id] = people.count
      let pseudonym = Pseudonym.make(random())
      people.append(ForgettingSurvey.Person(id: name, pseudonym: pseudonym))
      renamed[AnyID(id)] = AnyID(try names.user(pseudonym))
    }
    for item in request.items { blanked.insert(try names.intern(item.id, item.kind)) }
  }

  /// The ids for which a survey searches the log's lines.
  var searched: [String] { people.map(\.id) + request.items.map(\.id) }

  // MARK: Learning

  mutating func learn(_ line: Line) throws(LogError) {
    guard let event = line.event else { return }
    switch event.stream?.kind {
    case .profile, .group: revisions[line.recorded.stream] = line.recorded.rev
    default: break
    }
    let actor = names.find(user: line.recorded.actor)
    for id in Set(event.ids + (actor.map { [AnyID($0)] } ?? [])) {
      if blanked.contains(id) { metItems.insert(id) }
      guard id.kind == .user, let number = numbers[UserID(index: id.index)] else { continue }
      people[number].events += 1
    }
    if let words = event.words, case .user(let author) = words.author, numbers[author] != nil {
      made.insert(words.item)
    }
    switch event {
    case .group(.created(let data)):
      if numbers[data.owner] != nil { made.insert(AnyID(data.group)) }
    case .accountDeleted(let data):
      if let person = numbers[data.user] { people[person].isOpen = false }
    case .profile(let event): learn(event)
    case .workout(.shared(let data)):
      if let person = numbers[data.owner] { people[person].workouts.append(names[data.workout]) }
    default: break
    }
  }

  private mutating func learn(_ event: ProfileEvent) {
    switch event {
    case .created(let data):
      guard let person = numbers[data.user] else { return }
      people[person].isOpen = true
      learn(handle: data.handle, data.displayName)
    case .edited(let data):
      if numbers[data.user] != nil { learn(handle: data.handle.value, data.displayName.value) }
    case .photoSet(let data):
      guard let person = numbers[data.user], let path = data.storedPath else { return }
      if !people[person].photos.contains(path) { people[person].photos.append(path) }
    default: break
    }
  }

  private mutating func learn(handle: String?, _ displayName: String?) {
    if let displayName, !displayName.isEmpty { displayNames.insert(displayName) }
    if let handle, !handle.isEmpty, handles[handle] == nil {
      handles[handle] = Pseudonym.make(random())
    }
  }

  mutating func learned() {
    let ids = people.map(\.id).filter { $0.utf8.count >= Self.longName }
    words = WordSearch(Array(handles.keys) + ids)
    allWords = WordSearch(Array(handles.keys) + people.map(\.id) + displayNames)
  }

  // MARK: Rewriting

  struct Line {
    var recorded: RecordedEvent
    /// The decoded event; nil if its type is unknown.
    var event: Event?
  }

  mutating func parse(_ bytes: UnsafeBufferPointer<UInt8>) throws(LineFault) -> Line {
    let (parsed, event) = try parser.parse(bytes, names: &names)
    guard let recorded = RecordedEvent(parsed) else { throw parsed.missing }
    if let event { return Line(recorded: recorded, event: event) }
    return Line(recorded: recorded, event: try Event(app: parsed, &names))
  }

  enum Change {
    /// The event's contents changed, so it gets a new id.
    case contents(RecordedEvent)
    /// Only the event's references to other events changed to the new ids of those events.
    case references(RecordedEvent)
  }

  /// Returns the event as the new log has it; nil if it is unchanged.
  /// - Throws: `.unknownType` if the event has an unknown type and names one of the erased people.
  mutating func rewritten(_ line: Line) throws(LogError) -> Change? {
    var new = line.recorded
    references = new.cause.map { [$0] } ?? []
    guard let event = line.event else {
      guard names(somebody: new) else { return nil }
      throw .unknownType(name: new.type, version: new.version, seq: new.seq)
    }
    if case .app(let record) = event { return rewritten(new, record) }
    var copy = event
    var isChanged = false
    for id in event.ids where rename(id) != id { isChanged = true }
    if isChanged { copy.mapIDs { (renamed[$0] ?? $0).index } }
    var contents = contents(of: event, new)
    copy.mapContent(&contents)
    placeholders = contents.placeholders
    mentions += contents.members.map { Mention(seq: new.seq, type: new.type, member: $0) }
    references += contents.references
    isChanged = isChanged || contents.isChanged
    let isReferring = contents.isReferring
    // Releases the shared table of ids here. Otherwise `finish`, which changes the table, would
    // copy it each time.
    _ = consume contents
    if isChanged || isReferring {
      (new.version, new.data) = (copy.version, copy.data(names))
      new.stream = copy.streamName(names)
    }
    return finish(new, isChanged: isChanged, isReferring: isReferring)
  }

  /// Replaces erased people's names in the event's envelope, and gives a changed event a new id.
  /// Returns the change; nil if nothing in the event changes.
  mutating func finish(
    _ event: RecordedEvent, isChanged: Bool, isReferring: Bool = false
  ) -> Change? {
    var (new, isChanged, isReferring) = (event, isChanged, isReferring)
    if let actor = names.find(user: event.actor), let person = numbers[actor] {
      (new.actor, new.correlation, isChanged) = (people[person].pseudonym, nil, true)
    }
    if let correlation = new.correlation, tells(correlation.text, own: true) {
      (new.correlation, isChanged) = (nil, true)
    }
    if let extra = replaced(extra: event.extra) { (new.extra, isChanged) = (extra, true) }
    if let cause = event.cause, let other = ids[cause] { (new.cause, isReferring) = (other, true) }
    if isChanged {
      let id = ids[event.id] ?? EventID(time: event.id.time ?? event.time, random: random())
      ids[event.id] = id
      new.id = id
      return .contents(new)
    }
    return isReferring ? .references(new) : nil
  }

  /// Returns the replacement for an id; the id itself if it contains no erased person's name.
  mutating func rename(_ id: AnyID) -> AnyID {
    if let known = renamed[id] { return known }
    var new = id
    if id.kind != .user, tells(names[id], own: made.contains(id)),
      let made = try? names.intern(Pseudonym.make(random()), id.kind)
    {
      new = made
    }
    renamed[id] = new
    return new
  }

  /// Whether an item's id contains an erased person's id, ignoring ASCII case. For an erased
  /// person's own item, a handle counts too.
  ///
  /// A short name counts only in the ids of erased people's own items, and only if no letter or
  /// digit is beside it. Otherwise erasing the user `1` would rename half of all items.
  private func tells(_ id: String, own: Bool) -> Bool {
    let id = Array(id.utf8)
    let found = people.contains { Self.has(id, $0.id, own) }
    return found || own && handles.keys.contains { Self.has(id, $0, own) }
  }

  private static func has(_ id: [UInt8], _ name: String, _ own: Bool) -> Bool {
    let (id, name) = (id.map(WordSearch.lowercased), name.utf8.map(WordSearch.lowercased))
    guard name.count >= longName || own, id.count >= name.count else { return false }
    return (0...id.count - name.count).contains { start in
      let end = start + name.count
      guard id[start..<end].elementsEqual(name) else { return false }
      return name.count >= longName
        || (start == 0 || !isLetterOrDigit(id[start - 1]))
          && (end == id.count || !isLetterOrDigit(id[end]))
    }
  }

  /// Returns a copy whose `rewritten` can process the log again from the first event.
  func again() -> EventEraser {
    var copy = self
    (copy.placeholders, copy.mentions, copy.untyped) = (Placeholders(), [], [:])
    return copy
  }

  /// Returns the eraser of an event's texts. It depends on the texts' author.
  private func contents(of event: Event, _ recorded: RecordedEvent) -> TextEraser {
    var contents = TextEraser(
      placeholders: placeholders, words: words, handles: handles, ids: ids,
      changesMentions: request.changesMentions)
    contents.placeholders.stream = recorded.stream
    guard let said = event.words else { return contents }
    switch said.author {
    case .user(let author):
      contents.isPersons = numbers[author] != nil
      contents.placeholders.owner = names[author]
    case .maker: contents.isPersons = made.contains(said.item)
    case .actor:
      contents.isPersons = names.find(user: recorded.actor).map { numbers[$0] != nil } ?? false
    }
    contents.isForgotten = contents.isPersons || blanked.contains(said.item)
    return contents
  }
}

// Events of apps, and unknown fields of the envelope: this code does not know their types.
extension EventEraser {
  /// Returns an app's event as the new log has it; nil if it is unchanged. Replaces erased people's
  /// ids and handles in texts and field names. Blanks the personal fields of a known type.
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

  private var pseudonyms: [String: String] {
    handles.merging(people.map { ($0.id, $0.pseudonym) }) { $1 }
  }

  /// Returns the text with erased names replaced: the whole text if it equals a name, and long
  /// names anywhere in the text.
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

  /// Whether an event of an unknown type contains the id or handle of an erased person.
  func names(somebody event: RecordedEvent) -> Bool {
    let known = pseudonyms
    let data = (try? JSONValue(object: event.data)) ?? .null
    return known[event.actor] != nil || data.mapping { scrubbed($0, known) } != data
      || scrubbed(stream: event.stream, known) != event.stream
  }

  /// Returns an envelope's unknown fields without erased people's names; nil if they contain none.
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
  /// Returns the value with `map` applied to all texts and field names.
  fileprivate func mapping(_ map: (String) -> String) -> JSONValue {
    switch self {
    case .null, .bool, .number: self
    case .string(let text): .string(map(text))
    case .array(let values): .array(values.map { $0.mapping(map) })
    case .object(let members):
      .object(members.map { Member(map($0.name), $0.value.mapping(map)) })
    }
  }

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
