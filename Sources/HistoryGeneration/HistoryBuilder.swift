import Aggregates
import Events

/// The kind of a generated history.
package enum HistoryStyle: Sendable {
  /// Millions of events of many users.
  case long
  /// Some events of a few users. Rare types are more likely than in a long history.
  case short
  /// Like `short`, but with events that the rules may forbid, such as events about deleted users.
  case hostile
}

/// A builder that draws a history, one event at a time.
///
/// The domain's deciders determine which events are possible. A hostile history also has impossible
/// events.
package struct HistoryBuilder<Contents: EventContents>: ~Copyable {
  package typealias Source = Contents.Source

  package let rules: Rules
  package let style: HistoryStyle
  private(set) var world = GeneratedWorld()
  var behavior = UserBehavior()
  let contents: Contents
  /// The current time, in milliseconds since 1970.
  package var time: Int64
  /// The ground that the added events covered; nil, as in long histories, if nobody asks for it.
  package var ground: HistoryGround?

  /// An event that was drawn but not added yet.
  package struct Drawn: Sendable {
    package var event: Event
    package var actor: UserID
    /// The time since the previous event, in milliseconds.
    package var pause: Int64 = 0
    /// Whether the domain allows the event; always true in a hostile history.
    package var isAllowed = true
    /// The index of the thing that the event ends, in its list of candidates.
    fileprivate var place: Int?
  }

  package init(_ contents: Contents, _ style: HistoryStyle, rules: Rules, time: Int64) {
    (self.contents, self.style, self.rules, self.time) = (contents, style, rules, time)
  }

  /// Prepares the history for its first event. Call this function once.
  package mutating func begin(users: Int, _ names: inout Names, _ t: Source) {
    world.begin(users: users, style, &names)
    if style != .long {
      behavior = t.improvise { UserBehavior(users: users, style, &$0) } ?? behavior
    }
    for user in world.accounts.users { _ = t.improvise { behavior.popularity.add(user, &$0) } }
  }

  /// Returns the choice that selects an event type. It is the first choice in drawing an event.
  package static func choice(of type: EventType) -> UInt64 { UInt64(EventWeights.place(of: type)) }

  // MARK: Rounds

  /// Draws an event and adds it if the domain allows it.
  /// - Returns: the event; nil if it was not added.
  package mutating func round(_ names: inout Names, _ t: Source) -> Drawn? {
    let wasInBurst = behavior.burst != nil
    _ = t.improvise { behavior.goOn(&$0) }
    let drawn = draw(t, wasInBurst: wasInBurst)
    if drawn.isAllowed { add(drawn, &names, t) } else { time += drawn.pause }
    return drawn.isAllowed ? drawn : nil
  }

  /// Draws an event of any type and the pause before it, and lets the domain decide the event.
  package func draw(_ t: Source, wasInBurst: Bool = false) -> Drawn {
    var drawn = draw(possible(type(t)), t)
    let pause = t.place(Int64.self, of: Self.pauses.count) {
      behavior.pause(&$0, of: Self.pauses.count, wasInBurst: wasInBurst)
    }
    drawn.pause = Self.pauses[pause]
    decide(&drawn)
    return drawn
  }

  /// Draws an event of a type, without asking the domain whether it allows the event.
  func draw(_ type: EventType, _ t: Source) -> Drawn {
    t.chosenPlace = nil
    let event = t.together(Event.self) { self.event(of: type, t) }
    let actor = (style == .hostile ? nil : actor(of: event)) ?? user(t)
    return Drawn(event: event, actor: actor, place: t.chosenPlace)
  }

  /// Replaces the event by the one that the domain would record. Sets `isAllowed` to false if the
  /// domain refuses the event or the event would change nothing.
  func decide(_ drawn: inout Drawn) {
    if style == .hostile { return }
    let actor = EventActor(drawn.actor, isService: drawn.actor == world.service)
    let time = Timestamp(milliseconds: time + drawn.pause)
    guard let event = try? drawn.event.decide(in: world.states, by: actor, at: time, rules) else {
      drawn.isAllowed = false
      return
    }
    drawn.event = event
    if case .block(.blocked(let block)) = event {
      drawn.isAllowed = !world.states.isTied(block.user, block.other)
    }
  }

  package mutating func add(_ drawn: Drawn, _ names: inout Names, _ t: Source) {
    if ground != nil {
      let parts = ground(of: drawn)
      ground?.record(drawn.event, by: drawn.actor, parts, in: world)
    }
    time += drawn.pause
    world.apply(drawn.event, at: time, drawn.place, &names)
    behavior.record(drawn.event, by: drawn.actor)
    if style != .hostile, case .profile(.created(let data)) = drawn.event {
      _ = t.improvise { behavior.popularity.add(data.user, &$0) }
    }
  }

  func type(_ t: Source) -> EventType {
    // A hostile history does not need accounts.
    let joined = style == .hostile ? Int.max : behavior.popularity.count
    let place = t.place(EventType.self, of: EventWeights.all.count) {
      behavior.type(&$0, joined: joined)
    }
    return EventWeights.all[place].type
  }

  /// Returns the type if such an event is possible now; otherwise a type that must occur first.
  func possible(_ type: EventType) -> EventType {
    if style == .hostile { return type }
    if world.accounts.count == 0 { return .profileCreated }
    let entry = EventWeights[type]
    if let needed = entry.needs, world[needed].pairs.isEmpty {
      return possible(EventWeights.beginnings[needed.rawValue])
    }
    let isAmongUsers = entry.begins.map { $0.kind == .user && entry.needs == nil } ?? false
    return isAmongUsers && world.accounts.count < 2 ? .profileCreated : type
  }

  /// The pauses in a short history, in ms: 0, 1 ms, one second, one hour, one day, one week.
  private static var pauses: [Int64] { [0, 1, 1_000, 3_600_000, 86_400_000, 604_800_000] }
}
