import Aggregates
import EventLog
import Events
import Projections
import UseCases

// A phone decides commands on the state of its personal log, with the deciders of the server.
extension PersonalReading {
  /// The outcome that a phone expects of a command.
  package struct Prediction: Sendable {
    /// The name of the command to send. For a toggle, it is the command that leads to the expected
    /// state.
    package var name: String
    /// The input, with the ids that the decision created.
    package var input: JSONValue
    /// The answer for the caller.
    package var answer: any FieldValue
    /// The expected answer to the command to send.
    package var expected: JSONValue
    /// The hash of the expected events (`EventsHash`).
    package var events: EventsHash
  }

  /// Decides a command after the pending commands decided before, and applies its events.
  /// - Parameters:
  ///   - time: the time of the decision.
  ///   - core: the core with which the command is created. It only lends its random numbers.
  /// - Throws: the error with which the server would refuse the command. `offline` instead, if the
  ///   decision read state that is not in the personal log.
  package mutating func decide<C: Command>(
    _: C.Type, _ input: C.Input, at time: Timestamp, for core: Core
  ) throws(UseCaseError) -> Prediction {
    let call = Call(C(core), input, as: Caller(log.reader))
    guard case .command(let decide) = call.work else { preconditionFailure() }
    let toggle = C.self as? any Toggle.Type
    // The heirs of an account's groups may be members whom the person does not see.
    let needsAllState = toggle != nil || C.self is DeleteAccount.Type
    var prediction = try self.decide(
      call, decide, input.json, at: time, for: core, needsAllState: needsAllState)
    if let toggle, case .bool(let isOn) = prediction.answer.json,
      !PlantedBug.sendsToggles.isPlanted
    {
      prediction.name = toggle.name(leadingTo: isOn)
      prediction.expected = toggle.answer(leadingTo: isOn)
    }
    return prediction
  }

  /// Decides a command by its name; see `decide(_:_:at:for:)`. Nil if there is no such command.
  package mutating func decide(
    _ name: String, _ input: JSONValue, at time: Timestamp, for core: Core
  ) throws(UseCaseError) -> Prediction? {
    guard let entry = core.useCases.find(name) else { return nil }
    let call: Call
    do throws(InputError) {
      call = try Call(entry, input, as: Caller(log.reader))
    } catch {
      throw .invalidInput(error)
    }
    guard case .command(let decide) = call.work else { return nil }
    return try self.decide(call, decide, input, at: time, for: core, needsAllState: false)
  }

  /// Whether a command was decided since the last `dropPending`.
  package var hasPending: Bool { settled != nil }

  /// Takes back the effects of all decided commands.
  package mutating func dropPending() {
    if let settled { model = settled }
    (settled, created) = (nil, [])
  }

  /// Answers a query without the effects of decided commands.
  package func settledAnswer<Q: Query>(
    _ query: Q.Type, _ input: Q.Input, at time: Timestamp
  ) throws(UseCaseError) -> Q.Output? {
    var reading = self
    reading.dropPending()
    return try reading.answer(query, input, at: time)
  }

  /// - Parameter needsAllState: whether the answer needs all state that the decision reads, as that
  ///   of a toggle does. Otherwise only a refusal needs it.
  private mutating func decide(
    _ call: Call, _ decide: Call.Decide, _ input: JSONValue, at time: Timestamp, for core: Core,
    needsAllState: Bool
  ) throws(UseCaseError) -> Prediction {
    let before = settled == nil ? model : nil
    let reads = StateReads()
    model.aggregates.value.reads = reads
    defer { model.aggregates.value.reads = nil }
    let time = min(max(time, model.head.time), .latest)
    do throws(UseCaseError) {
      if needsAllState { try model.tryOut(call, decide, at: time, for: core) }
      if needsAllState, let missing = reads.all.first(where: { !holds($0) }) {
        throw .offline(reason: "the phone does not have \(missing.subject)")
      }
      var applied = try model.applied(call, decide, at: time, for: core)
      if let before { settled = before }
      for event in applied.events { note(event) }
      if PlantedBug.sendsNoIDs.isPlanted { applied.created = [] }
      return Prediction(
        name: call.name, input: applied.created.reduce(input) { $0.setting($1.field, to: $1.id) },
        answer: applied.answer, expected: applied.answer.json,
        events: EventsHash(applied.events, model.names))
    } catch {
      guard case .refused(let reason) = error, let missing = reads.all.first(where: { !holds($0) })
      else { throw error }
      throw .offline(reason: "the phone does not have \(missing.subject) (\(reason.code))")
    }
  }

  /// Adds the items that a pending command creates, so that queries answer about them.
  private mutating func note(_ event: Event) {
    let key: String
    switch event {
    case .workout(.shared(let workout)): key = "workout/\(model.names[workout.workout])"
    case .group(.created(let group)): key = "group/\(model.names[group.group])"
    default: return
    }
    created.insert(key)
  }

  /// Returns whether the personal log has a part of the deciders' states, or its absence says that
  /// there is nothing.
  private func holds(_ read: StateRead) -> Bool {
    switch read {
    case .handle: return true
    case .localID(let owner, _):
      return owner == reader && !cut.contains("workouts/\(model.names[reader])")
    case .groups: return false
    case .members(let group): return isWhole(group)
    case .stream(let stream): return holds(stream)
    }
  }

  /// Returns whether the last decision created an id, so that nothing else can have it.
  private func isNew(_ id: String) -> Bool { model.draft.created.contains { $0.id == id } }

  private func isWhole(_ group: GroupID) -> Bool {
    let key = "group/\(model.names[group])"
    return has(key) && !cut.contains(key)
  }

  private func holds(_ stream: StreamID) -> Bool {
    let (a, b) = (UserID(index: stream.a), UserID(index: stream.b))
    func hasReactions(_ workout: WorkoutID) -> Bool {
      has("workout/\(model.names[workout])")
    }
    switch stream.kind {
    case .profile:
      return a == reader || keys.contains("person/\(model.names[a])")
        || model.names[a].hasPrefix(Names.servicePrefix)
    case .follow, .friendship, .block: return a == reader || b == reader
    case .workout:
      let id = WorkoutID(index: stream.a)
      return model.views.workout(id) != nil || isNew(model.names[id])
    case .comment:
      let id = CommentID(index: stream.a)
      return model.views.comment(id) != nil || isNew(model.names[id])
    case .chup, .reaction: return b == reader && hasReactions(WorkoutID(index: stream.a))
    case .heart: return b == reader && model.views.comment(CommentID(index: stream.a)) != nil
    case .group:
      let id = GroupID(index: stream.a)
      return has("group/\(model.names[id])") || isNew(model.names[id])
    case .member: return isWhole(GroupID(index: stream.a))
    case .conversation:
      let id = MessageID(index: stream.a)
      return model.views.message(id) != nil || isNew(model.names[id])
    case .report, .notifications: return true
    }
  }
}

extension StateRead {
  /// A phrase that names the kind of the part.
  fileprivate var subject: String {
    switch self {
    case .handle: "this handle"
    case .localID: "this workout"
    case .groups: "all groups"
    case .members: "all members of this group"
    case .stream(let stream):
      switch stream.kind {
      case .profile: "this person"
      case .follow, .friendship, .block: "this relationship"
      case .workout: "this workout"
      case .comment, .heart: "this comment"
      case .chup, .reaction: "the reactions to this workout"
      case .group: "this group"
      case .member: "all members of this group"
      case .conversation: "this message"
      case .report, .notifications: "this report"
      }
    }
  }
}

extension Core {
  /// Creates a core without a log. A phone creates its commands with it, and decides them on a
  /// personal log.
  package static func deciding(
    _ useCases: UseCaseList, _ environment: RuntimeEnvironment
  ) async throws(LogError) -> Core {
    try await Core(
      InMemoryLog(environment), rules: .climb, from: Replay(), ignoring: [], unknown: .stop,
      environment: environment, leavesCheckpoints: false, useCases: useCases)
  }
}

extension JSONValue {
  /// Returns the value with a text in a field, such as `comment` or `workouts.2.workout`.
  fileprivate func setting(_ field: String, to text: String) -> JSONValue {
    let parts = field.split(separator: ".", maxSplits: 1).map(String.init)
    guard let name = parts.first else { return .string(text) }
    let rest = parts.count > 1 ? parts[1] : ""
    switch self {
    case .object(var members):
      if let index = members.firstIndex(where: { $0.name == name }) {
        members[index].value = members[index].value.setting(rest, to: text)
      } else {
        members.append(.init(name, JSONValue.null.setting(rest, to: text)))
      }
      return .object(members)
    case .array(var items):
      guard let index = Int(name), items.indices.contains(index) else { return self }
      items[index] = items[index].setting(rest, to: text)
      return .array(items)
    case .null, .bool, .number, .string: return .string(text)
    }
  }
}
