import Events

/// A filter for a log's events. An event passes if it meets every condition that is set.
///
/// ```swift
/// var filter = EventFilter()
/// filter.types = ["ProfileCreated"]
/// let created = await log.read(after: 0, limit: .max).filter { filter.passes($0) }
/// created.count  // 3
/// ```
/// - Complexity: one comparison for each condition; the conditions `user` and `text` search the
///   event's bytes.
public struct EventFilter: Sendable {
  /// The wire names of the wanted types; empty means every type.
  public var types: Set<String> = []
  /// The id of the user who must have caused the event.
  public var actor: String?
  /// The id of a user. The event must be caused by this user, or its data must name the user as
  /// user, follower, followee, sender, receiver, friend or owner.
  public var user: String? {
    get { named?.user }
    set { named = newValue.map { ($0, Self.members($0)) } }
  }
  /// The name of the event's stream, or a prefix of the name that ends in `/`.
  public var stream: String?
  /// The id of the request that must have appended the event.
  public var correlation: CorrelationID?
  /// The earliest time of an event that passes.
  public var since = Timestamp.earliest
  /// The latest time of an event that passes.
  public var until = Timestamp.latest
  /// A text that the event's line must contain, ignoring ASCII case.
  public var text: String? {
    get { sought?.text }
    set { sought = newValue.map { ($0, Self.folded(Array($0.utf8))) } }
  }

  private var named: (user: String, members: [[UInt8]])?
  private var sought: (text: String, folded: [UInt8])?

  /// Creates a filter without conditions, which every event passes.
  public init() {}

  /// Returns whether an event passes. `text` is searched in the line that the encoder would write.
  public func passes(_ event: RecordedEvent) -> Bool {
    passes(event) { event.line(after: 0) }
  }

  /// Returns whether a line's event passes. `text` is searched in the line's bytes.
  public func passes(_ line: SealedLine) -> Bool {
    passes(line.event) { line.bytes }
  }

  private func passes(_ event: RecordedEvent, line: () -> [UInt8]) -> Bool {
    if !types.isEmpty, !types.contains(event.type) { return false }
    if event.time < since || event.time > until { return false }
    if let actor, event.actor != actor { return false }
    if let correlation, event.correlation != correlation { return false }
    if let stream, event.stream != stream {
      guard stream.hasSuffix("/"), event.stream.hasPrefix(stream) else { return false }
    }
    if let named, event.actor != named.user {
      guard named.members.contains(where: { event.data.firstRange(of: $0) != nil }) else {
        return false
      }
    }
    if let sought, Self.folded(line()).firstRange(of: sought.folded) == nil { return false }
    return true
  }

  /// Returns the bytes to search for: each JSON field that can name a user, with `user` as value.
  private static func members(_ user: String) -> [[UInt8]] {
    var value = ByteBuffer(capacity: 64)
    value.appendJSON(user)
    let members = [
      "user", "follower", "followee", "sender", "receiver", "friend", "owner", "other",
    ]
    return members.map {
      Array("\"\($0)\":".utf8) + value.array
    }
  }

  private static func folded(_ bytes: [UInt8]) -> [UInt8] {
    bytes.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
  }
}
