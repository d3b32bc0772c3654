import Events

/// Turns the events of a log into those of the log that has forgotten somebody.
///
/// It is given the events in the order of the log, once to learn whose they are (`learn`), then to
/// find which of them change (`rewritten`), and again to write them (`again`).
struct Rewriter: Sendable {
  /// What is known of a person.
  struct Person: Sendable {
    var id: UserID
    var name: String
    var pseudonym: String
    /// Whether the account is open.
    var isOpen = false
    var photos: [String] = []
    /// The ids of the person's workouts, whose photos go too.
    var workouts: [String] = []
    /// Events that the person did or that name them.
    var events = 0
  }

  /// From this many bytes on, a person's id is looked for within the ids of everybody's items, and
  /// in texts.
  static let longName = 6

  var names = Names()
  private var parser = LineParser()
  let request: ForgettingRequest
  let random: @Sendable () -> (UInt64, UInt64)
  private(set) var people: [Person] = []
  private(set) var numbers: [UserID: Int] = [:]
  /// New handles by old.
  private(set) var handles: [String: String] = [:]
  /// The last revisions of the streams of groups and people's profiles, if all of their events are
  /// learned; of other streams some revision.
  private(set) var revisions: [String: UInt64] = [:]
  /// Items that the people made, and those whose texts are to go.
  private(set) var made: Set<AnyID> = []
  private(set) var blanked: Set<AnyID> = []
  private(set) var metItems: Set<AnyID> = []
  /// Which ids become which; the same for those that stay.
  var renamed: [AnyID: AnyID] = [:]
  /// New ids of events by old.
  private(set) var ids: [EventID: EventID] = [:]
  private var blanks = Blanks()
  /// What mentions are looked for by, and what a reason and a bookmark must not say.
  private(set) var words = WordSearch([])
  private(set) var allWords = WordSearch([])
  private var displayNames: Set<String> = []
  private(set) var mentions: [Mention] = []
  /// Events of apps whose types are not known, of which only ids were replaced, by type.
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
      people.append(Person(id: id, name: name, pseudonym: Pseudonym.make(random())))
      renamed[AnyID(id)] = AnyID(try names.user(people[people.count - 1].pseudonym))
    }
    for item in request.items { blanked.insert(try names.intern(item.id, item.kind)) }
  }

  /// The names that lines are searched for, to begin with.
  var searched: [String] { people.map(\.name) + request.items.map(\.id) }

  // MARK: Learning

  /// Takes note of what an event says of the people.
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

  /// Ends the learning.
  mutating func learned() {
    let ids = people.map(\.name).filter { $0.utf8.count >= Self.longName }
    words = WordSearch(Array(handles.keys) + ids)
    allWords = WordSearch(Array(handles.keys) + people.map(\.name) + displayNames)
  }

  // MARK: Rewriting

  /// A line, parsed.
  struct Line {
    var recorded: RecordedEvent
    /// Nil for an unknown type.
    var event: Event?
  }

  mutating func parse(_ bytes: UnsafeBufferPointer<UInt8>) throws(LineFault) -> Line {
    let (parsed, event) = try parser.parse(bytes, names: &names)
    guard let recorded = RecordedEvent(parsed) else { throw parsed.missing }
    if let event { return Line(recorded: recorded, event: event) }
    return Line(recorded: recorded, event: try Event(app: parsed, &names))
  }

  /// What a rewriting does to an event.
  enum Change {
    /// It says something else, and has another id.
    case contents(RecordedEvent)
    /// It names other events by their new ids.
    case references(RecordedEvent)
  }

  /// The event as the new log has it; nil if it stays.
  /// - Throws: `.unknownType` if it names somebody, and this code does not know how.
  mutating func rewritten(_ line: Line) throws(LogError) -> Change? {
    var new = line.recorded
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
    blanks = contents.blanks
    mentions += contents.members.map { Mention(seq: new.seq, type: new.type, member: $0) }
    isChanged = isChanged || contents.isChanged
    let isReferring = contents.isReferring
    // It shares the table of ids, which is added to below: that would be copied each time.
    _ = consume contents
    if isChanged || isReferring {
      (new.version, new.data) = (copy.version, copy.data(names))
      new.stream = copy.streamName(names)
    }
    return finish(new, isChanged: isChanged, isReferring: isReferring)
  }

  /// Replaces what stands in the envelope.
  mutating func finish(
    _ event: RecordedEvent, isChanged: Bool, isReferring: Bool = false
  ) -> Change? {
    var (new, isChanged, isReferring) = (event, isChanged, isReferring)
    if let actor = names.find(user: event.actor), let person = numbers[actor] {
      (new.actor, isChanged) = (people[person].pseudonym, true)
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

  /// The id in place of another; the same if it tells of nobody.
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

  /// Whether an item's id has the id of a person in it, or, of a person's own item, the handle,
  /// in whatever case.
  ///
  /// A short name is looked for between other signs than letters and digits, and only in the ids of
  /// people's own items: else forgetting the user `1` would rename half of all.
  private func tells(_ id: String, own: Bool) -> Bool {
    let id = Array(id.utf8)
    let found = people.contains { Self.has(id, $0.name, own) }
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

  /// Where `rewritten` begins again at the first event, all having been found.
  func again() -> Rewriter {
    var copy = self
    (copy.blanks, copy.mentions, copy.untyped) = (Blanks(), [], [:])
    return copy
  }

  /// Whose words an event has in it, and what becomes of them.
  private func contents(of event: Event, _ recorded: RecordedEvent) -> Contents {
    var contents = Contents(
      blanks: blanks, words: words, handles: handles, ids: ids,
      changesMentions: request.changesMentions)
    contents.blanks.stream = recorded.stream
    guard let said = event.words else { return contents }
    switch said.author {
    case .user(let author):
      contents.isPersons = numbers[author] != nil
      contents.blanks.owner = names[author]
    case .maker: contents.isPersons = made.contains(said.item)
    case .actor:
      contents.isPersons = names.find(user: recorded.actor).map { numbers[$0] != nil } ?? false
    }
    contents.isForgotten = contents.isPersons || blanked.contains(said.item)
    return contents
  }
}
