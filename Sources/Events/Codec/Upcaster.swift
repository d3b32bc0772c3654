/// Brings the data of older schema versions up to the current one, one version at a time.
///
/// A step turns JSON members into JSON members and mentions no current Swift type, so that it
/// stays right however the types change. Old lines are never rewritten: they are upcast each
/// time they are read.
enum Upcaster {
  /// The oldest version of a type that can be read.
  static func oldest(_ type: EventType) -> Int {
    switch type {
    case .chupGiven: 0
    default: type.version
    }
  }

  /// The canonical JSON of an object, brought from `version` to the current version.
  static func upcast(
    _ data: [UInt8], _ type: EventType, from version: Int
  ) throws(LineFault) -> [UInt8] {
    switch (type, version) {
    case (.chupGiven, 0): adding("\"big\":false", to: data)
    default:
      throw LineFault(.unknownVersion(type: "\(type.wireName)", version: version), path: "v")
    }
  }

  /// ChupGiven 0, written before big chups existed, has no `big`: there were no big chups.
  private static func adding(_ member: String, to data: [UInt8]) -> [UInt8] {
    data.dropLast() + (data.count > 2 ? [UInt8(ascii: ",")] : []) + Array(member.utf8)
      + [UInt8(ascii: "}")]
  }
}
