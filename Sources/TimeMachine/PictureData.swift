import Events
import Projections

/// The data from which a web page draws pictures of a whole history: a few numbers per event, and
/// the tracks. A track says when an account, a follow or a friendship began and ended.
///
/// - Complexity: One replay. The data take 13 bytes per event and 20 bytes per track.
struct PictureData {
  /// The thing that begins and ends with a track. The raw values are part of the page's format.
  enum Kind: UInt32 {
    case account = 0
    case follow = 1
    case friendship = 2
  }

  struct Track {
    var kind: Kind
    var a: UInt32
    var b: UInt32
    var from: UInt64
    /// The position of the event that ended the account or relation; 0 if it has not ended.
    var until: UInt64 = 0
  }

  private(set) var times: [Int64] = []
  private(set) var actors: [UInt32] = []
  private(set) var types: [UInt8] = []
  private(set) var tracks: [Track] = []
  private(set) var names = Names()
  private var open: [Edge: Int] = [:]
  private var following = FollowLists()
  private var relationships = Relationships()

  private struct Edge: Hashable {
    var kind: UInt32
    var a: UInt32
    var b: UInt32
  }

  /// Reads a history. Gives an event of an unknown type the type 255.
  init(_ view: LogBytes) throws(LogError) {
    var names = Names()
    try view.forEachTypedEvent(&names, unknown: .skip) { event, actor, moment in
      // Events of unknown types are skipped here. The last loop below sets their times.
      while UInt64(times.count) + 1 < moment.seq { note(moment, actor: .max, type: .max) }
      note(moment, actor: actor.id.index, type: event.type.rawValue)
      follow(event, moment)
    }
    while UInt64(times.count) < view.count {
      note(Moment(seq: view.count, time: .earliest), actor: .max, type: .max)
    }
    for index in types.indices where types[index] == .max {
      guard let line = try view.line(at: UInt64(index) + 1) else { continue }
      times[index] = line.event.time.milliseconds
      if let actor = try? names.user(line.event.actor) { actors[index] = actor.index }
    }
    self.names = names
  }

  private mutating func note(_ moment: Moment, actor: UInt32, type: UInt8) {
    times.append(moment.time.milliseconds)
    actors.append(actor)
    types.append(type)
  }

  private mutating func follow(_ event: borrowing Event, _ moment: Moment) {
    switch event {
    case .follow, .friendship, .block:
      let users = event.users
      let (a, b) = users[0].index < users[1].index ? (users[0], users[1]) : (users[1], users[0])
      following.apply(event, at: moment)
      relationships.apply(event, at: moment)
      set(.follow, a, b, following.isFollowing(a, b), moment.seq)
      set(.follow, b, a, following.isFollowing(b, a), moment.seq)
      set(.friendship, a, b, relationships[a, b] == .friends, moment.seq)
    case .profile:
      following.apply(event, at: moment)
      if event.type == .profileCreated, let user = event.users.first {
        set(.account, user, user, true, moment.seq)
      }
    case .accountDeleted(let deleted): end(deleted.user, moment, event)
    default: break
    }
  }

  /// Records that a user's account, follows and friendships ended with the account's deletion.
  private mutating func end(_ user: UserID, _ moment: Moment, _ event: borrowing Event) {
    let followers = Array(following.followers(of: user))
    let followed = Array(following.following(of: user))
    let friends = Array(relationships.friends(of: user))
    following.apply(event, at: moment)
    relationships.apply(event, at: moment)
    for other in followers { set(.follow, other, user, false, moment.seq) }
    for other in followed { set(.follow, user, other, false, moment.seq) }
    for other in friends {
      let (a, b) = user.index < other.index ? (user, other) : (other, user)
      set(.friendship, a, b, false, moment.seq)
    }
    set(.account, user, user, false, moment.seq)
  }

  private mutating func set(
    _ kind: Kind, _ a: UserID, _ b: UserID, _ isThere: Bool, _ seq: UInt64
  ) {
    let edge = Edge(kind: kind.rawValue, a: a.index, b: b.index)
    if isThere, open[edge] == nil {
      open[edge] = tracks.count
      tracks.append(Track(kind: kind, a: a.index, b: b.index, from: seq))
    } else if !isThere, let at = open.removeValue(forKey: edge) {
      tracks[at].until = seq
    }
  }

  /// The data as bytes, in little-endian order:
  /// - the number of events and the number of tracks (eight bytes each);
  /// - the times (eight bytes each);
  /// - the actors (four bytes each), then the tracks (five numbers of four bytes each);
  /// - the types (one byte each).
  var bytes: ByteBuffer {
    var out = ByteBuffer(capacity: 16 + times.count * 13 + tracks.count * 20)
    out.append(little: UInt64(times.count))
    out.append(little: UInt64(tracks.count))
    for time in times { out.append(little: UInt64(bitPattern: time)) }
    for actor in actors { out.append(little: actor) }
    for track in tracks {
      out.append(little: track.kind.rawValue)
      out.append(little: track.a)
      out.append(little: track.b)
      out.append(little: UInt32(truncatingIfNeeded: track.from))
      out.append(little: UInt32(truncatingIfNeeded: track.until))
    }
    for type in types { out.append(type) }
    return out
  }
}

extension ByteBuffer {
  fileprivate mutating func append(little value: some FixedWidthInteger) {
    var value = value
    for _ in 0..<value.bitWidth / 8 {
      append(UInt8(truncatingIfNeeded: value))
      value >>= 8
    }
  }
}
