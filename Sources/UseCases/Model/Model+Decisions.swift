import Aggregates
import EventLog
import Events
import Projections

// These types and functions are for the decisions of commands.
extension Model {
  /// A command being decided: its actor, its time, and the events recorded so far.
  package struct Draft: Sendable {
    var caller: Caller = nil
    var time = Timestamp.earliest
    /// The source of new ids.
    var random: @Sendable () -> (UInt64, UInt64) = { (0, 0) }
    package var events: [Drafted] = []
    /// The index in `events` of the event that causes the next recorded events; nil if none does.
    var cause: Int?
    /// The stream revisions that the commit expects, in addition to the log's position.
    var expecting: [Commit.Expectation] = []
    var undoRecords: [AggregateStates.UndoRecord] = []
    /// The ids that were created because the input gives none.
    package var created: [CreatedID] = []
    /// Whether the projections do not yet include the events of earlier decided commands.
    var isAhead = false
    /// These events.
    var ahead = EventsAhead()
    /// Whether the store records the answer with the command's key, if it is known in time.
    var recordsAnswer = false
    /// Whether the answer will be known in time if the command is the first one of a batch.
    var waits = false
  }

  /// The events of a batch's decided commands, to find out which ids they touch.
  package struct EventsAhead: Sendable {
    private var events: [Drafted] = []
    private var touched = TouchedIDs()
    private(set) var isEmpty = true

    mutating func add(_ drafted: [Drafted]) {
      if !drafted.isEmpty { isEmpty = false }
      events += drafted
    }

    mutating func touches(_ id: AnyID, _ views: Reading) -> Bool {
      for drafted in events { touched.add(drafted.event, views) }
      events = []
      return touched.contains(id)
    }
  }

  /// An event to be appended.
  package struct Drafted: Sendable {
    package var event: Event
    /// The index in the draft of the event that caused this event; nil if none did.
    var cause: Int?
    /// The event's id, if its data contains that id; nil if the id is created later.
    var id: EventID?
  }

  /// An id that a decision created, and the field of the input that could have given it: its name,
  /// or the names and indexes that lead to it, such as `workouts.2.workout`.
  package struct CreatedID: Equatable, Sendable {
    package var field: String
    package var id: String
  }

  mutating func apply(_ event: borrowing Event, at moment: Moment) {
    aggregates.value.apply(copy event, at: moment.time)
    touched?.add(event, views)
    views.apply(event, at: moment)
    head = moment
  }
}

/// Returns the result of `body`. Throws the domain error of `body` as `UseCaseError.refused`.
func refusing<R>(_ body: () throws(DomainError) -> R) throws(UseCaseError) -> R {
  do throws(DomainError) { return try body() } catch { throw .refused(error) }
}

extension Model {
  /// Returns the signed-in user who performs the command.
  /// - Throws: `unauthorized` if no user is signed in; `profileNotFound` for an invalid user id.
  public mutating func actor() throws(UseCaseError) -> UserID {
    guard let name = draft.caller.user else { throw .refused(.unauthorized) }
    return try user(name)
  }

  /// Returns the user or the service that performs the command.
  /// - Throws: the errors of `actor`; an input error for a service without a valid name.
  mutating func actorOrService() throws(UseCaseError) -> UserID {
    guard let service = draft.caller.service else { return try actor() }
    guard !service.isEmpty, let actor = draft.caller.actor, isValidID(actor.utf8) else {
      throw .invalidInput(InputError("as", "the name of a service is expected: " + idRule))
    }
    return try user(actor)
  }

  /// Returns the dense id of a user, who need not exist. A UUID may be in upper or lower case.
  /// - Throws: `profileNotFound` for an invalid id.
  public mutating func user(_ name: String) throws(UseCaseError) -> UserID {
    let name = names.spelling(ofUser: name)
    return UserID(index: try intern(name, .user, else: .profileNotFound).index)
  }

  /// Returns the dense id of a workout, which need not exist. The next functions do so for other
  /// kinds.
  mutating func workout(_ name: String) throws(UseCaseError) -> WorkoutID {
    WorkoutID(index: try intern(name, .workout, else: .workoutNotFound).index)
  }

  mutating func comment(_ name: String) throws(UseCaseError) -> CommentID {
    CommentID(index: try intern(name, .comment, else: .commentNotFound).index)
  }

  mutating func group(_ name: String) throws(UseCaseError) -> GroupID {
    GroupID(index: try intern(name, .group, else: .groupNotFound).index)
  }

  mutating func message(_ name: String) throws(UseCaseError) -> MessageID {
    MessageID(index: try intern(name, .message, else: .messageNotFound).index)
  }

  mutating func report(_ name: String) throws(UseCaseError) -> ReportID {
    ReportID(index: try intern(name, .report, else: .reportNotFound).index)
  }

  /// Returns the dense id of content to be reported, which need not exist.
  mutating func content(
    _ name: String, _ kind: ReportedContent.Kind
  ) throws(UseCaseError) -> AnyID {
    let error: DomainError =
      switch kind {
      case .profile: .profileNotFound
      case .workout: .workoutNotFound
      case .comment: .commentNotFound
      case .message: .messageNotFound
      case .group: .groupNotFound
      }
    return kind == .profile ? AnyID(try user(name)) : try intern(name, kind.ids, else: error)
  }

  private mutating func intern(
    _ name: String, _ kind: IDKind, else error: DomainError
  ) throws(UseCaseError) -> AnyID {
    guard let id = try? names.intern(name, kind) else { throw .refused(error) }
    return id
  }

  /// Returns the actor. If the input names a user, that user must be the actor.
  /// - Throws: the errors of `actor`; `notAuthorized` if `name` is another user.
  mutating func actor(named name: String?) throws(UseCaseError) -> UserID {
    let actor = try actor()
    if let name, names.spelling(ofUser: name) != draft.caller.user {
      throw .refused(.notAuthorized)
    }
    return actor
  }

  /// Decides the command that an event represents, and records the decided event in the draft.
  /// - Returns: the recorded event; nil if the command changes nothing.
  @discardableResult
  mutating func decide(_ event: some Decidable, by actor: UserID) throws(UseCaseError) -> Event? {
    let actor = EventActor(actor, isService: draft.caller.service != nil)
    let decided = try refusing { () throws(DomainError) in
      try event.decide(in: aggregates.value, by: actor, at: draft.time, rules)
    }
    guard let decided else { return nil }
    if let undoRecord = aggregates.value.undoRecord(before: decided) {
      draft.undoRecords.append(undoRecord)
    }
    aggregates.value.apply(decided, at: draft.time)
    draft.events.append(Drafted(event: decided, cause: draft.cause))
    return decided
  }

  /// Returns whether the command's answer is to be recorded, and the projections reflect all
  /// earlier events about an id. If only the latter is false, the core decides the command again in
  /// the next batch.
  mutating func isCurrent(about id: AnyID) -> Bool {
    guard draft.recordsAnswer else { return false }
    draft.waits = hasEventsAhead(about: id)
    return !draft.waits
  }

  /// Whether earlier commands of the batch recorded events that the projections do not have yet.
  package var hasEventsAhead: Bool { draft.isAhead && !draft.ahead.isEmpty }

  /// Returns whether these events touch an id.
  package mutating func hasEventsAhead(about id: AnyID) -> Bool {
    draft.isAhead && draft.ahead.touches(id, views)
  }

  /// Makes the core ignore this decision, and decide the command again when the projections have
  /// the events of all earlier commands.
  /// - Precondition: `hasEventsAhead`.
  package mutating func waitForEventsAhead() { draft.waits = true }

  /// Returns the profile that `ownProfile` will return when the draft's events are in the
  /// projections; nil if the answer is not recorded, or must wait for earlier events.
  mutating func draftedProfile(_ user: UserID) -> Profile? {
    guard isCurrent(about: AnyID(user)) else { return nil }
    var state = views.profile(of: user)
    for drafted in draft.events {
      guard case .profile(let event) = drafted.event else { continue }
      if state == nil, case .created(let created) = event {
        state = Profiles.Profile(created, at: draft.time)
      } else {
        state?.apply(event, at: draft.time)
      }
    }
    return state.map { profile(user, $0, for: .user(user), .full) }
  }

  /// Checks each user block that the last command recorded: no relationship between the two users
  /// may remain.
  func finishBlocks() throws(UseCaseError) {
    for drafted in draft.events {
      guard case .block(.blocked(let block)) = drafted.event else { continue }
      try refusing { () throws(DomainError) in try aggregates.value.finish(block) }
    }
  }

  /// Checks the stream of each of the app's own events that the last command recorded: an id in its
  /// name may be a text from the caller.
  func checkStreams() throws(UseCaseError) {
    for drafted in draft.events {
      guard case .app(let record) = drafted.event, !LineParser.isValidStream(record.stream) else {
        continue
      }
      throw .invalidInput(
        InputError(record.type, "its stream is not two to four ids joined by slashes; \(idRule)"))
    }
  }

  /// Returns the id that the caller chose for a new entity; a new id if the caller chose none.
  /// - Throws: an input error for the field if the chosen id is invalid.
  mutating func given(_ name: String?, _ field: String) throws(UseCaseError) -> String {
    let name = name ?? createdID(for: field)
    guard isValidID(name.utf8) else { throw .invalidInput(InputError(field, idRule)) }
    return name
  }

  /// Returns a new id for the entity that a field of the input names.
  mutating func createdID(for field: String) -> String {
    let id = newID()
    draft.created.append(CreatedID(field: field, id: id))
    return id
  }

  /// Returns a new id for an entity. Like an event's id, it is a UUID that contains the command's
  /// time.
  package func newID() -> String { "\(EventID(time: draft.time, random: draft.random()))" }
}
