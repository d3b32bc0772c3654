/// Converts event data of older schema versions to the current version.
///
/// A log's old lines are not rewritten. The readers convert them each time, in one of two ways:
/// - If a new version only added optional fields or made fields optional, older lines are read like
///   lines of the current version. `complete` then fills in the differences. This costs no time,
///   and most old lines are of this kind.
/// - For any other change, `upcast` converts the JSON fields. Its code uses no Swift type of the
///   current version, so it stays correct if these types change.
enum Upcaster {
  /// Returns the oldest schema version of an event type that this code can read.
  private static func oldest(_ type: EventType) -> Int { type == .chupGiven ? 0 : 1 }

  /// Whether this code can read a schema version of an event type.
  static func reads(_ type: EventType, _ version: Int) -> Bool {
    version >= oldest(type) && version <= type.version
  }

  /// Whether old data of this version can be read like data of the current version; `complete` then
  /// fills in the differences. Also true for the current version.
  @inline(__always)
  static func isReadAsPresent(_ type: EventType, _ version: Int) -> Bool {
    version == type.version || version == 1 && type.version == 2
  }

  /// Reads an event from data of a version for which `isReadAsPresent` returns true.
  @inline(__always)
  static func event<R: MemberReader>(
    _ type: EventType, _ version: Int, from reader: inout R
  ) throws(LineFault) -> Event {
    var event = try Event(type, from: &reader)
    if version != type.version { try complete(&event) }
    return event
  }

  /// Checks an event that was read from version 1 data, and fills in values that version 1 did not
  /// have.
  /// - Throws: `missingInVersion` for a field that version 1 required; `unknownInVersion` for a
  ///   field that version 1 did not have; `wrongType` for null where version 1 did not allow null.
  private static func complete(_ event: inout Event) throws(LineFault) {
    switch event {
    case .profile(.created(let profile)): try require(profile.handle, "handle")
    case .profile(.photoSet(let photo)):
      try require(photo.path, "path")
      try require(photo.bytes, "bytes")
      try require(photo.contentType, "contentType")
    case .workout(.shared(var workout)):
      try require(workout.localID, "localID")
      try require(workout.workoutType, "workoutType")
      try require(workout.totalTime, "totalTime")
      try require(workout.totalDistance, "totalDistance")
      try require(workout.averageSplit, "averageSplit")
      try exclude(workout.audience == nil, "audience")
      // In version 1, the owner could not choose the audience: the owner and friends saw the
      // workout.
      workout.audience = .friends
      event = .workout(.shared(workout))
    case .workout(.edited(let edit)):
      try exclude(edit.audience.isKeep, "audience")
      try keepSet(edit.workoutType, "workoutType")
      try keepSet(edit.totalTime, "totalTime")
      try keepSet(edit.totalDistance, "totalDistance")
      try keepSet(edit.averageSplit, "averageSplit")
    default: break
    }
  }

  private static func require<V>(_ value: V?, _ name: StaticString) throws(LineFault) {
    if value == nil { throw LineFault(.missingInVersion(1), path: "data.\(name)") }
  }

  private static func exclude(_ isAbsent: Bool, _ name: StaticString) throws(LineFault) {
    if !isAbsent { throw LineFault(.unknownInVersion(1), path: "data.\(name)") }
  }

  private static func keepSet<V>(_ patch: Patch<V>, _ name: StaticString) throws(LineFault) {
    if patch == .clear {
      throw LineFault(
        .wrongType(expected: "a value: version 1 ('v') has no null"), path: "data.\(name)")
    }
  }

  /// Returns an event's data as canonical JSON, converted from schema version `version` to the
  /// current one.
  static func upcast(
    _ data: [UInt8], _ type: EventType, from version: Int
  ) throws(LineFault) -> [UInt8] {
    switch (type, version) {
    case (.chupGiven, 0): adding("\"big\":false", to: data)
    default:
      throw LineFault(.unknownVersion(type: "\(type.wireName)", version: version), path: "v")
    }
  }

  /// Returns the JSON object `data` with the field `member` added at the end. Version 0 of
  /// `ChupGiven` has no `big`, because big chups did not exist then.
  private static func adding(_ member: String, to data: [UInt8]) -> [UInt8] {
    data.dropLast() + (data.count > 2 ? [UInt8(ascii: ",")] : []) + Array(member.utf8)
      + [UInt8(ascii: "}")]
  }
}
