import Aggregates
import Events
import Projections

/// A given-when-then test in Swift that repeats some of a log's events. People's names and texts
/// are replaced.
///
/// ```swift
/// let background = try await travel.background(after: 41, until: 42)
/// print(try GeneratedTest(background, name: "event42").source)
/// ```
public struct GeneratedTest: Sendable {
  /// The test's Swift source. It imports Testing and UseCasesTesting, and names the rules by their
  /// preset.
  public private(set) var source: String
  /// The positions of the events that the test cannot repeat with a command. If such an event is
  /// before the first command, it becomes a given event.
  public private(set) var notCommands: [UInt64] = []

  /// Generates a test function with the name `name`. `rules` are the rules by which the app's
  /// commands were decided.
  public init(_ background: Background, name: String, rules: Rules = .climb) {
    var names = Pseudonyms(background.names)
    var given = background.needed(rules).map { names.line($0) }
    var steps: [String] = []
    for known in background.when {
      let event = names.line(known)
      guard let request = names.request(known) else {
        if steps.isEmpty { given.append(event) }
        notCommands.append(known.moment.seq)
        continue
      }
      steps.append(
        """
          #expect(
            try await scenario.when(\(literal(request)))
              == [\(literal(event))])
        """)
    }
    let (first, last) = (background.when.first?.moment.seq, background.when.last?.moment.seq)
    let range = first == last ? "event \(first ?? 0)" : "events \(first ?? 0) to \(last ?? 0)"
    let preset = rules.of(edition: Rules.latestEdition) == .climb ? "" : "rules: .\(rules.name), "
    let imports = ["Testing", "UseCasesTesting"].map { "import \($0)\n" }.joined()
    source = """
      \(imports)
      @Test("What happened at \(range) happens again")
      func \(name)() async throws {
        // Given
        let scenario = try await Scenario(
          \(preset)given: #\"""
      \(given.map { "      " + $0 + "\n" }.joined())\
            \"""#)
        // When and then
      \(steps.joined(separator: "\n"))
      }

      """
  }
}

extension Background {
  /// The maximum number of given events for which `needed` tries to omit events.
  private static let limit = 2_000

  /// Returns the given events that the decisions need. Tries to omit each event, starting with the
  /// last.
  fileprivate func needed(_ rules: Rules) -> [KnownEvent] {
    guard given.count <= Self.limit, isEnough(given, rules) else { return given }
    var needed = given
    for index in given.indices.reversed() {
      let event = needed.remove(at: index)
      if !isEnough(needed, rules) { needed.insert(event, at: index) }
    }
    return needed
  }

  /// Returns whether the deciders, after the given events, decide exactly the events to repeat.
  private func isEnough(_ given: [KnownEvent], _ rules: Rules) -> Bool {
    var aggregates = AggregateStates()
    for known in given { aggregates.apply(known.event, at: known.moment.time) }
    for known in when {
      let actor = names.actor(known.actor)
      guard aggregates.reason(known.event, actor, at: known.moment.time, rules) == nil else {
        return false
      }
      aggregates.apply(known.event, at: known.moment.time)
    }
    return true
  }
}

/// Returns a text as a raw string literal in Swift.
private func literal(_ text: String) -> String {
  var hashes = "#"
  while text.contains("\"" + hashes) { hashes += "#" }
  return "\(hashes)\"\(text)\"\(hashes)"
}

/// Returns the name of the use case that appends an event; nil if the test can call none.
private func useCase(_ event: Event, by actor: UserID) -> String? {
  switch event {
  case .profile(.created): "CreateProfile"
  case .profile(.edited): "UpdateProfile"
  case .profile(.photoSet), .profile(.photoRemoved), .app: nil
  case .profile(.baseLocationSet): "SetBaseLocation"
  case .profile(.baseLocationCleared): "ClearBaseLocation"
  case .profile(.sportSet): "SetSport"
  case .profile(.sportRemoved): "RemoveSport"
  case .profile(.sendLogged): "LogSend"
  case .profile(.weeklyGoalSet): "SetWeeklyGoal"
  case .profile(.premiumRecorded): "RecordPremium"
  case .accountDeleted: "DeleteAccount"
  case .follow(.followed): "FollowUser"
  case .follow(.unfollowed): "UnfollowUser"
  case .friendship(.requested): "SendFriendRequest"
  case .friendship(.cancelled): "CancelFriendRequest"
  case .friendship(.accepted): "AcceptFriendRequest"
  case .friendship(.rejected): "RejectFriendRequest"
  case .friendship(.removed): "RemoveFriend"
  case .workout(.shared): "ShareWorkout"
  case .workout(.edited): "EditWorkout"
  case .workout(.detailAttached(let data)): data.image == nil ? "AttachWorkoutDetail" : nil
  case .workout(.removed): "RemoveWorkout"
  case .chup(.given(let data)): data.big ? "GiveBigChup" : "GiveChup"
  case .chup(.withdrawn): "WithdrawChup"
  case .comment(.posted): "PostComment"
  case .comment(.edited): "EditComment"
  case .comment(.removed): "RemoveComment"
  case .heart(.given): "HeartComment"
  case .heart(.withdrawn): "UnheartComment"
  case .block(.blocked): "BlockUser"
  case .reaction(.given): "GiveReaction"
  case .reaction(.withdrawn): "WithdrawReaction"
  case .block(.unblocked): "UnblockUser"
  case .group(.created): "CreateGroup"
  case .group(.edited): "EditGroup"
  case .group(.transferred): "TransferGroup"
  case .group(.deleted): "DeleteGroup"
  case .member(.invited): "InviteToGroup"
  case .member(.requested): "JoinGroup"
  case .member(.joined(let data)): data.user == actor ? "JoinGroup" : "ApproveMember"
  case .member(.left): "LeaveGroup"
  case .member(.removed): "RemoveMember"
  case .member(.roleSet): "SetGroupRole"
  case .conversation(.sent): "SendMessage"
  case .conversation(.removed): "RemoveMessage"
  // The event that marks messages or notifications as read contains its own id.
  case .conversation(.read), .notification: nil
  case .report(.reported): "ReportContent"
  case .report(.closed): "CloseReport"
  }
}

/// Consistent replacements for the ids and texts of real people: those that an erasure replaces,
/// and the names of groups.
private struct Pseudonyms: ContentMap {
  private let names: Names
  /// The table of the replacement ids.
  private var replacements = Names()
  /// The number assigned to each text or id, by kind.
  private var numbers: [String: [String: Int]] = [:]
  private static let people = [
    "ann", "ben", "cem", "dora", "eli", "fay", "gus", "hana", "ian", "jun", "kim", "lou",
  ]

  init(_ names: Names) { self.names = names }

  /// Returns an event as a line `{"type":…,"actor":…,"data":…}`, with replaced ids and texts.
  mutating func line(_ known: KnownEvent) -> String {
    let event = replacing(known.event)
    return unsealedLine(
      type: event.type.name, version: event.type.version, actor: user(names[known.actor]),
      data: event.data(replacements))
  }

  /// Returns the request `{"do":…,"as":…,"with":…}` for an event's command; nil if there is none.
  mutating func request(_ known: KnownEvent) -> String? {
    guard let name = useCase(known.event, by: known.actor), let entry = Registry.find(name),
      case .object(let members)? = try? JSONValue(
        object: replacing(known.event).data(replacements))
    else { return nil }
    let fields = entry.fields.map(\.name)
    // The fields for a message's receiver and a group's new owner have other names in the input.
    let others = ["receiver": "to", "owner": "user"]
    let with = members.compactMap { member -> JSONValue.Member? in
      let name = fields.contains(member.name) ? member.name : others[member.name] ?? ""
      return fields.contains(name) ? JSONValue.Member(name, member.value) : nil
    }
    let actor = user(names[known.actor])
    let isService = actor.hasPrefix(Names.servicePrefix)
    let who = isService ? String(actor.dropFirst(Names.servicePrefix.count)) : actor
    return JSONValue.object(
      [.init("do", .string(name)), .init("as", .string(who))]
        + (isService ? [.init("service", .bool(true))] : []) + [.init("with", .object(with))]
    ).text
  }

  private mutating func replacing(_ event: Event) -> Event {
    var copy = event
    copy.mapIDs { id in
      let name = id.kind == .user ? user(names[id]) : item(id)
      guard let new = try? replacements.intern(name, id.kind) else {
        preconditionFailure("a replacement is a valid id")
      }
      return new.index
    }
    copy.mapContent(&self)
    return copy
  }

  mutating func text(_ text: String, _ member: StaticString, _ kind: TextKind) -> String? {
    switch kind {
    case .handle: handle(text)
    case .key: "local-\(number("key", text))"
    case .words, .maybeEmpty, .shared, .address, .path, .plain: words(text)
    }
  }

  mutating func place(
    _ latitude: Double, _ longitude: Double
  ) -> (latitude: Double, longitude: Double) {
    let number = Double(number("place", "\(latitude) \(longitude)") % 90)
    return (number, number)
  }

  mutating func eventID(_ id: EventID) -> EventID { id }

  private mutating func number(_ kind: String, _ text: String) -> Int {
    let known = numbers[kind, default: [:]]
    let number = known[text] ?? known.count + 1
    numbers[kind, default: [:]][text] = number
    return number
  }

  /// Returns the replacement of a user's id. A service keeps its name.
  private mutating func user(_ text: String) -> String {
    if text.hasPrefix(Names.servicePrefix) { return text }
    let number = number("user", text)
    return number <= Self.people.count ? Self.people[number - 1] : "user\(number)"
  }

  /// Returns the replacement of another id: its kind's first letter and a number.
  private mutating func item(_ id: AnyID) -> String {
    let kind = "\(id.kind)"
    return "\(kind.prefix(1))\(number(kind, names[id]))"
  }

  /// Returns the replacement of a handle. Two replacements differ only in case if the originals do.
  private mutating func handle(_ text: String) -> String {
    let lower = text.lowercased()
    return (text == lower ? "handle" : "Handle") + "\(number("handle", lower))"
  }

  /// Returns the replacement of a text: a distinct text, as long as the original or longer if
  /// necessary.
  private mutating func words(_ text: String) -> String {
    let start = "text \(number("text", text))"
    return start + String(repeating: ".", count: max(0, text.count - start.count))
  }
}
