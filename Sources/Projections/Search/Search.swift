import Events

/// A search index of public profiles. It finds any part of the handle or display name, and ignores
/// case and diacritics.
///
/// ```swift
/// search.matches("bjorn", limit: 20, names)  // @bjorn, then @bjorn99, then @anna “Anna Bjørnstad”
/// Search.isTooShort(" b ")            // true
/// ```
/// A profile whose handle equals the query comes first, then the handles that start with the query,
/// then all others. Each of these groups is in the alphabetical order of the folded handles.
///
/// Profiles are stored in a few segments. Each segment is in the order of results and has an index
/// of byte pairs and triples. A segment never changes: a changed profile moves to a short list that
/// a search scans linearly. When that list is long, `settle` merges it into a new segment, together
/// with the segments that are not much larger.
/// - Complexity: Over a million profiles, a query of two letters or more takes 5 to 200 µs, however
///   many profiles match. An event costs O(its texts). `settle` takes two microseconds per profile
///   merged: on average a few profiles per changed one, but sometimes all profiles. Memory: the
///   folded texts, and about 75 bytes per public profile.
public struct Search: FamilyProjection {
  public static let name = "search"
  public static let version = 4
  public static let handles: EventTypes = [.profileCreated, .profileEdited, .accountDeleted]

  /// The place at which the texts of a user are stored, if the user has an open account.
  struct Place: Equatable, BitwiseCopyable, Sendable {
    static let none = Place(list: 0, row: 0)
    static let deleted = Place(list: 1, row: 0)
    static let hidden: UInt32 = 2
    static let recent: UInt32 = 3

    /// The list with the texts: `hidden`, `recent`, or the id of a segment.
    var list: UInt32
    var row: UInt32

    var isOpen: Bool { list >= Place.hidden }
  }
  var places = Slab(blank: Place.none)
  /// By user: the texts of profiles that are not public.
  var hidden = Records<SearchText>()
  /// The texts of public profiles that are in no segment, in no particular order.
  var recent: [SearchText] = []
  var segments: [SearchSegment] = []
  private var nextSegment: UInt32 = Place.recent + 1

  /// The largest number of recent profiles that `settle` leaves. Scanning them takes under 0.1 ms.
  static let recentLimit = 1024

  public init() {}

  public mutating func apply(_ event: borrowing ProfileEvent, at moment: Moment) {
    switch event {
    case .created(let new):
      guard self[placeOf: new.user] == .none else { return }
      let text = SearchText(new.user, handle: new.handle ?? "", displayName: new.displayName)
      insert(text, isPublic: new.isPublic)
    case .edited(let edit): change(edit)
    case .photoSet, .photoRemoved, .baseLocationSet,
      .baseLocationCleared, .sportSet, .sportRemoved,
      .sendLogged, .weeklyGoalSet, .premiumRecorded:
      break
    }
  }

  public mutating func removeAccount(_ user: UserID) {
    remove(user)
    self[placeOf: user] = .deleted
  }

  private mutating func change(_ edit: ProfileEdited) {
    guard !edit.handle.isKeep || edit.isPublic != nil || !edit.displayName.isKeep,
      let old = text(of: edit.user)
    else { return }
    let wasPublic = self[placeOf: edit.user].list != Place.hidden
    let isPublic = edit.isPublic ?? wasPublic
    let new = old.edited(edit)
    guard new != old || isPublic != wasPublic else { return }
    remove(edit.user)
    insert(new, isPublic: isPublic)
  }

  private mutating func insert(_ text: SearchText, isPublic: Bool) {
    let user = UserID(index: text.user)
    if isPublic {
      self[placeOf: user] = Place(list: Place.recent, row: UInt32(recent.count))
      recent.append(text)
    } else {
      self[placeOf: user] = Place(list: Place.hidden, row: 0)
      hidden[user.index] = text
    }
  }

  /// Removes the user's texts, if any. In `recent`, the last profile's texts move into the gap.
  private mutating func remove(_ user: UserID) {
    let place = self[placeOf: user]
    guard place.isOpen else { return }
    let row = Int(place.row)
    switch place.list {
    case Place.hidden:
      hidden[user.index] = nil
    case Place.recent:
      places[Int(recent[recent.count - 1].user)].row = place.row
      recent.swapAt(row, recent.count - 1)
      recent.removeLast()
    default:
      if let index = segments.firstIndex(where: { $0.id == place.list }) {
        segments[index].bury(row)
      }
    }
  }

  subscript(placeOf user: UserID) -> Place {
    get { Int(user.index) < places.count ? places[Int(user.index)] : .none }
    set {
      places.grow(to: Int(user.index) + 1)
      places[Int(user.index)] = newValue
    }
  }

  /// Returns the texts of a user; nil without an open account.
  func text(of user: UserID) -> SearchText? {
    let place = self[placeOf: user]
    guard place.isOpen else { return nil }
    switch place.list {
    case Place.hidden: return hidden[user.index]
    case Place.recent: return recent[Int(place.row)]
    default: return segments.first { $0.id == place.list }?[Int(place.row)]
    }
  }

  public mutating func code(with coder: inout StateCoder) {
    coder(&places)
    hidden.code(with: &coder)
    coder.record(&recent)
    var ids = segments.map { $0.id }
    coder(&ids)
    if coder.isReading { segments = ids.map { SearchSegment(id: $0, []) } }
    for index in segments.indices { segments[index].code(with: &coder) }
    coder(&nextSegment)
  }

  /// Merges the recent profiles into a new segment if there are many.
  ///
  /// The new segment also gets each segment that is at most twice as large as everything merged so
  /// far. It also gets each segment in which most rows are dead: their profiles have moved
  /// elsewhere. So segments stay few, and each profile moves only a few times.
  public mutating func settle() {
    var gathered = recent.count > Self.recentLimit ? recent.count : 0
    var gatheredSegments: [Int] = []
    while let next = segments.indices.first(where: { index in
      let segment = segments[index]
      return !gatheredSegments.contains(index)
        && (segment.liveCount <= gathered * 2 || segment.liveCount * 2 < segment.rows.count)
    }) {
      gatheredSegments.append(next)
      gathered += segments[next].liveCount
    }
    guard gathered > 0 || !gatheredSegments.isEmpty else { return }
    var texts = recent
    recent = []
    for index in gatheredSegments.sorted(by: >) {
      texts += segments.remove(at: index).liveTexts
    }
    guard !texts.isEmpty else { return }
    let segment = SearchSegment(id: nextSegment, texts)
    nextSegment += 1
    for (row, entry) in segment.rows.enumerated() {
      places[Int(entry.user)] = Place(list: segment.id, row: UInt32(row))
    }
    segments.append(segment)
  }

  /// Returns nil if each user's texts are at their place, and the segments' counts are right;
  /// otherwise describes the fault.
  public func brokenInvariant(_ names: Names) -> String? {
    func name(_ user: UInt32) -> String { names[UserID(index: user)] }
    func misplaced(_ user: UInt32, _ list: UInt32, _ row: Int) -> String? {
      places[Int(user)] == Place(list: list, row: UInt32(row))
        ? nil : "\(name(user)) is not at its place, row \(row) of list \(list)"
    }
    var found = 0
    for user in hidden.indices where hidden.has(user) {
      if let broken = misplaced(user, Place.hidden, 0) { return broken }
      found += 1
    }
    for (row, text) in recent.enumerated() {
      if let broken = misplaced(text.user, Place.recent, row) { return broken }
    }
    found += recent.count
    for segment in segments {
      var live = 0
      for row in segment.rows.indices where !segment.isDead(row) {
        let user = segment.rows[row].user
        if let broken = misplaced(user, segment.id, row) { return broken }
        live += 1
      }
      if live != segment.liveCount {
        return "segment \(segment.id) counts \(segment.liveCount) live rows and has \(live)"
      }
      if let broken = segment.brokenInvariant(name) { return broken }
      found += live
    }
    let open = places.count { $0.isOpen }
    return open == found ? nil : "\(open) accounts are open and \(found) have texts"
  }

  /// Returns whether a query has fewer than two characters, without the white space at its ends.
  public static func isTooShort(_ query: String) -> Bool { trimmed(query).count < 2 }

  private static func trimmed(_ query: String) -> Substring {
    guard let first = query.firstIndex(where: { !$0.isWhitespace }),
      let last = query.lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return query[first...last]
  }

  /// Returns the users whose public handle or display name contains the query, at most `limit`.
  ///
  /// A profile whose handle equals the query comes first, then the handles that start with the
  /// query, then all others. Each of these groups is sorted by handle. Profiles without a handle
  /// come last, sorted by display name, then by id. White space around the query is ignored. A
  /// query that becomes empty by folding has no results.
  public func matches(_ query: String, limit: Int, _ names: Names) -> [UserID] {
    let query = Folding.fold(String(Self.trimmed(query)))
    guard !query.isEmpty, limit > 0 else { return [] }
    let starting = segments.map { $0.rows(startingWith: query) }
    // A handle that equals the query sorts first among those that start with it.
    var first = recent.filter { $0.startsWith(query) }
    for (segment, range) in zip(segments, starting) {
      first += segment.live(range, limit: limit).map { segment[$0] }
    }
    let users = Self.users(first, limit: limit, names)
    guard users.count < limit else { return users }
    let room = limit - users.count
    var rest = recent.filter { !$0.startsWith(query) && $0.contains(query) }
    for (segment, range) in zip(segments, starting) {
      let rows = segment.rows(containing: query, outside: range, limit: room)
      rest += rows.map { segment[$0] }
    }
    return users + Self.users(rest, limit: room, names)
  }

  /// Returns the users whose public handle or display name contains the query, at most `limit`,
  /// sorted by handle. The query is folded like that of `matches`.
  public func matchesByHandle(_ query: String, limit: Int, _ names: Names) -> [UserID] {
    let query = Folding.fold(String(Self.trimmed(query)))
    guard !query.isEmpty, limit > 0 else { return [] }
    let found = segments.flatMap { segment in
      segment.rows(containing: query, outside: 0..<0, limit: limit).map { segment[$0] }
    }
    return Self.users(found + recent.filter { $0.contains(query) }, limit: limit, names)
  }
}
