import Aggregates
import EventLog
import Events
import Projections

// What commands use to decide.
extension Model {
  /// A command being decided: its actor, its time, and the events recorded so far.
  struct Draft: Sendable {
    var caller: Caller = nil
    var time = Timestamp.earliest
    /// The source of new ids.
    var random: @Sendable () -> (UInt64, UInt64) = { (0, 0) }
    var events: [Drafted] = []
    /// The number of the event that those recorded next have as their cause.
    var cause: Int?
    /// What the commit expects beside the position of the log.
    var expecting: [Commit.Expectation] = []
    var undoRecords: [AggregateStates.UndoRecord] = []
    /// Whether others were decided before it that the projections do not know yet.
    var isAhead = false
  }

  /// An event to be appended.
  struct Drafted: Sendable {
    var event: Event
    /// The number in the draft of the event that led to it.
    var cause: Int?
    /// Its id, if it names itself.
    var id: EventID?
  }

  /// Applies a recorded event.
  mutating func apply(_ event: borrowing Event, at moment: Moment) {
    society.apply(copy event)
    views.apply(event, at: moment)
    head = moment
  }
}

/// Throws the domain's refusal as a use case does.
func refusing<R>(_ body: () throws(DomainError) -> R) throws(UseCaseError) -> R {
  do throws(DomainError) { return try body() } catch { throw .refused(error) }
}

extension Model {
  /// The user who acts.
  /// - Throws: `unauthorized` if no user does; `profileNotFound` for an invalid user id.
  public mutating func actor() throws(UseCaseError) -> UserID {
    guard let name = draft.caller.user else { throw .refused(.unauthorized) }
    return try user(name)
  }

  /// The user or the service that acts.
  /// - Throws: as `actor`; an input error for a service without a valid name.
  mutating func actorOrService() throws(UseCaseError) -> UserID {
    guard let service = draft.caller.service else { return try actor() }
    guard !service.isEmpty, let actor = draft.caller.actor, isValidID(actor.utf8) else {
      throw .invalidInput(InputError("as", "the name of a service is expected: " + idRule))
    }
    return try user(actor)
  }

  /// The interned id of a user, who need not exist; a UUID may be in any case.
  /// - Throws: `profileNotFound` for an invalid id.
  public mutating func user(_ name: String) throws(UseCaseError) -> UserID {
    let name = names.spelling(ofUser: name)
    return UserID(index: try intern(name, .user, else: .profileNotFound).index)
  }

  /// The interned id of a workout, which need not exist.
  mutating func workout(_ name: String) throws(UseCaseError) -> WorkoutID {
    WorkoutID(index: try intern(name, .workout, else: .workoutNotFound).index)
  }

  /// The interned id of a comment, which need not exist.
  mutating func comment(_ name: String) throws(UseCaseError) -> CommentID {
    CommentID(index: try intern(name, .comment, else: .commentNotFound).index)
  }

  /// The interned id of a group, which need not exist.
  mutating func group(_ name: String) throws(UseCaseError) -> GroupID {
    GroupID(index: try intern(name, .group, else: .groupNotFound).index)
  }

  /// The interned id of a message, which need not exist.
  mutating func message(_ name: String) throws(UseCaseError) -> MessageID {
    MessageID(index: try intern(name, .message, else: .messageNotFound).index)
  }

  /// The interned id of a report, which need not exist.
  mutating func report(_ name: String) throws(UseCaseError) -> ReportID {
    ReportID(index: try intern(name, .report, else: .reportNotFound).index)
  }

  /// The interned id of something that can be reported, which need not exist.
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

  /// The actor, for inputs that may name a user but only the actor.
  /// - Throws: as `actor`, and `notAuthorized` for another user.
  mutating func actor(named name: String?) throws(UseCaseError) -> UserID {
    let actor = try actor()
    if let name, names.spelling(ofUser: name) != draft.caller.user {
      throw .refused(.notAuthorized)
    }
    return actor
  }

  /// Decides the command that an event stands for, and records the event that it causes.
  /// - Returns: the event recorded; nil if the command changes nothing.
  @discardableResult
  mutating func decide(_ event: some Decidable, by actor: UserID) throws(UseCaseError) -> Event? {
    let actor = EventActor(actor, isService: draft.caller.service != nil)
    let decided = try refusing { () throws(DomainError) in
      try event.decide(in: society, by: actor, at: draft.time, rules)
    }
    guard let decided else { return nil }
    if let undoRecord = society.undoRecord(before: decided) {
      draft.undoRecords.append(undoRecord)
    }
    society.apply(decided)
    draft.events.append(Drafted(event: decided, cause: draft.cause))
    return decided
  }

  /// Judges the blocks of the command that was decided last.
  func finishBlocks() throws(UseCaseError) {
    for drafted in draft.events {
      guard case .block(.blocked(let block)) = drafted.event else { continue }
      try refusing { () throws(DomainError) in try society.finish(block) }
    }
  }

  /// The id that a caller gives to something new, or a new one.
  /// - Throws: an input error for a text that cannot be an id.
  func given(_ name: String?, _ field: String) throws(UseCaseError) -> String {
    let name = name ?? newID()
    guard isValidID(name.utf8) else { throw .invalidInput(InputError(field, idRule)) }
    return name
  }

  /// A new id, in the form of an event id of this moment.
  func newID() -> String { "\(EventID(time: draft.time, random: draft.random()))" }
}
