import Events

/// The paths that some events can have changed. There may be too many paths, but never too few.
///
/// For kinds of paths with `sources` and `leads`, the search is the reverse of `RelevanceSearch`:
/// an event can change a path only if the event is among the path's relevant events.
struct Touched<H: History> {
  /// The events whose paths are searched.
  private(set) var events: [Timeline.Cause] = []
  private var found: Set<StatePath> = []
  private var names: Names
  private let view: H
  private let index: EventIndex
  /// The events already followed for each kind of paths, and the index's lists already read.
  private var followed: Set<Followed> = []
  private var read: Set<Wish> = []

  private struct Followed: Hashable {
    var kind: StatePath.Kind
    var seq: UInt64
    /// Whether the search reached this event because this event leads to another event.
    var isLead: Bool
  }

  /// A list to read for a kind of paths. Only events of `type` count; nil means all types.
  private struct Wish: Hashable {
    var kind: StatePath.Kind
    var type: EventType?
    var key: EventIndex.Key
  }

  init(
    by positions: [UInt64], _ view: H, _ index: Replay<EventIndex>, _ catalogue: Catalogue
  ) throws(LogError) {
    (self.view, self.index, names) = (view, index.projection, index.names)
    var all: [KnownEvent] = []
    try view.forEachEvent(at: positions, &names) { all.append($0) }
    events = all.map { Timeline.Cause($0, names) }
    let views = catalogue.views()
    for known in all {
      let touches = views.looked(Visitor(event: known.event, names: names)).touches
      var kinds: Set<StatePath.Kind> = []
      for touch in touches { try take(touch, &kinds) }
      try follow(known, Array(kinds))
    }
  }

  /// The paths found, sorted by their texts.
  var paths: [StatePath] { found.sorted { $0.text < $1.text } }

  private struct Visitor: ProjectionVisitor {
    let event: Event
    let names: Names
    var touches: [Touch] = []
    mutating func visit<P: ExplainedProjection>(_ projection: inout P) {
      touches += P.touches(event, names)
    }
  }

  /// Adds the paths in a part that a projection's `touches` returned; adds its kinds to `kinds`.
  private mutating func take(
    _ touch: Touch, _ kinds: inout Set<StatePath.Kind>
  ) throws(LogError) {
    switch touch {
    case .path(let kind, let ids): found.insert(StatePath(kind: kind, ids: ids))
    case .kinds(let more): kinds.formUnion(more)
    case .each(let key, let lead):
      var further: [Touch] = []
      try view.forEachEvent(at: index.positions(key), &names) { further += lead($0.event) }
      for touch in further { try take(touch, &kinds) }
    }
  }

  /// Adds the paths of some kinds that an event can change, directly or through later events.
  private mutating func follow(
    _ first: KnownEvent, _ kinds: [StatePath.Kind]
  ) throws(LogError) {
    var left = [(known: first, kinds: kinds, isLead: false)]
    while let next = left.popLast() {
      let (event, seq, isLead) = (next.known.event, next.known.moment.seq, next.isLead)
      let kinds = next.kinds.filter {
        $0.types.contains(event.type)
          && followed.insert(Followed(kind: $0, seq: seq, isLead: isLead)).inserted
      }
      if kinds.isEmpty { continue }
      let keys = EventIndex.keys(of: event)
      var wishes: [EventIndex.Key: [Wish]] = [:]
      for kind in kinds {
        addPaths(of: kind, event, keys)
        if isLead, kind.idNames.first == "USER", event.leadsOnlyFromItsUsers { continue }
        for wish in Self.wishes(of: kind, event, keys) where read.insert(wish).inserted {
          wishes[wish.key, default: []].append(wish)
        }
      }
      for (key, wishes) in wishes {
        try view.forEachEvent(at: index.positions(key), &names) { known in
          let kinds = wishes.filter { $0.type == nil || $0.type == known.event.type }
          if kinds.isEmpty { return }
          left.append(
            (known: known, kinds: kinds.map { $0.kind }, isLead: event.type != .accountDeleted))
        }
      }
    }
  }

  /// Adds the paths of a kind that have the event in one of their own lists (`Kind.sources`).
  private mutating func addPaths(
    of kind: StatePath.Kind, _ event: Event, _ keys: [EventIndex.Key]
  ) {
    guard kind.idNames.count == 1 || kind.isOfPair else { return }
    for key in keys where kind.sources.contains(key.role) {
      switch key.role.ids {
      case .handle:
        if let handle = event.handle { found.insert(StatePath(kind: kind, ids: [handle])) }
      case let ids?:
        guard let type = ids.ids, kind.idNames.first == ids.rawValue else { continue }
        let id = names[AnyID(type, key.index)]
        if kind.isOfPair {
          // A user may also have sent a message to themselves.
          let users = event.users.map { names[$0] }
          for other in users where other != id || !users.contains(where: { $0 != id }) {
            found.insert(StatePath(kind: kind, ids: [id, other]))
          }
        } else {
          found.insert(StatePath(kind: kind, ids: [id]))
        }
      case nil:
        // An app's own event may change the path of any id in it.
        for id in event.ids where NamedID.Kind(id.kind).rawValue == kind.idNames.first {
          found.insert(StatePath(kind: kind, ids: [names[id]]))
        }
      }
    }
  }

  /// Returns the lists with the events that can lead a path of this kind to `event`.
  private static func wishes(
    of kind: StatePath.Kind, _ event: Event, _ keys: [EventIndex.Key]
  ) -> [Wish] {
    if case .accountDeleted(let data) = event {
      // Any event that names the user may lead to the deletion of the user's account.
      let keys = EventIndex.Role.allCases.filter { $0.ids == .user }.map {
        EventIndex.Key($0, data.user)
      }
      return (keys + (kind.sources.contains(.app) ? [.app] : [])).map {
        Wish(kind: kind, type: nil, key: $0)
      }
    }
    // An event about a group's member affects others only if they own or administer the group.
    let admins: EventTypes = [.groupCreated, .groupTransferred, .memberRoleSet]
    return kind.leads.flatMap { type, roles in
      keys.filter {
        roles.contains($0.role) && ($0.role != .members || admins.contains(type))
      }.flatMap { key in
        EventIndex.roles(of: type, by: key.role.ids).map {
          Wish(kind: kind, type: type, key: EventIndex.Key($0, key.index))
        }
      }
    }
  }
}

extension Event {
  /// Whether the event leads to others only for the paths of its own users. An event about a
  /// workout affects the owner; an event about a group affects the group's owners and admins.
  fileprivate var leadsOnlyFromItsUsers: Bool {
    switch self {
    case .workout(.shared), .group, .member: true
    default: false
    }
  }

  /// The handle that the event sets; nil if it sets none.
  fileprivate var handle: String? {
    switch self {
    case .profile(.created(let data)): data.handle
    case .profile(.edited(let data)): data.handle.value
    default: nil
    }
  }
}

extension EventIndex {
  /// Returns the keys of the lists that contain an event. A handle's key has 0 as its number.
  fileprivate static func keys(of event: Event) -> [Key] {
    // Applies the event to a separate index, in which the ids have small numbers.
    var ids: [AnyID] = []
    var event = event
    event.mapIDs { id in
      if let known = ids.firstIndex(of: id) { return UInt32(known) }
      ids.append(id)
      return UInt32(ids.count - 1)
    }
    var index = EventIndex()
    index.apply(event, at: Moment(seq: 1, time: .earliest))
    return Role.allCases.flatMap { role -> [Key] in
      if role.ids?.ids == nil { return index.count(Key(role, 0)) > 0 ? [Key(role, 0)] : [] }
      return ids.indices.filter {
        ids[$0].kind == role.ids?.ids && index.count(Key(role, UInt32($0))) > 0
      }.map { Key(role, ids[$0].index) }
    }
  }

  /// Returns the roles that list all events of this type under the event's first id of this kind.
  fileprivate static func roles(of type: EventType, by kind: NamedID.Kind?) -> [Role] {
    switch kind {
    case .user: [.profile]
    case .workout: type == .commentPosted ? [.posts] : [.workout]
    case .comment: [.comment]
    case .group: [.group, .members]
    case .message: [.message]
    case .report: [.report]
    case .handle: [.handle]
    case nil: [.app]
    }
  }
}
