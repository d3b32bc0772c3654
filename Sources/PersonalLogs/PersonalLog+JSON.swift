import Aggregates
import Events
import UseCases

/// Returns the XXH64 hash of the bytes with the seed 0, as 16 hexadecimal digits.
package func hexHash(_ bytes: [UInt8]) -> String {
  XXH64.hash(bytes, seed: 0).padded(to: 16, radix: 16)
}

// A personal log as lines of JSON: a head, a line for each part, the keys of all parts in order,
// and a last line with the numbers of parts, so that a log that was cut off is noticed.
extension PersonalLog {
  /// Hashes of the parts that a phone has, to get only those that have changed.
  public struct Held: Equatable, Sendable {
    /// The hash of each part, by its key.
    public var parts: [String: String] = [:]
    /// The hash of all keys in order.
    public var keys = ""

    /// Creates the hashes of a phone that has no parts.
    public init() {}
  }

  /// The hashes of all parts.
  public var held: Held {
    var held = Held()
    for part in parts { held.parts[part.key] = Self.hash(part.json.text) }
    held.keys = Self.hash(keyText)
    return held
  }

  private static func hash(_ text: String) -> String {
    hexHash(Array(text.utf8))
  }

  private var keyText: String { JSONValue.array(parts.map { .string($0.key) }).text }

  /// The personal log as lines of JSON; see docs/server.md.
  public var text: String { text(since: Held()) }

  /// Returns the lines of the parts that a phone lacks, and the keys of all parts if they are
  /// others than those of the phone. The phone drops the parts whose keys are not listed.
  public func text(since held: Held) -> String {
    var (text, count) = (head.text + "\n", 0)
    for part in parts {
      let line = part.json.text
      if PlantedBug.comparesKeysOnly.isPlanted, held.parts[part.key] != nil { continue }
      if Self.hash(line) == held.parts[part.key] { continue }
      text += line + "\n"
      count += 1
    }
    if Self.hash(keyText) != held.keys { text += #"{"keys":\#(keyText)}"# + "\n" }
    let end = JSONValue.object([.init("end", .int(count)), .init("parts", .int(parts.count))])
    return text + end.text + "\n"
  }

  private var head: JSONValue {
    var fields: [JSONValue.Member] = [
      .init("personalLog", .int(Self.format)), .init("reader", .string(reader)),
      .init("position", .int(position)), .init("time", .string("\(time)")),
      .init("rules", rules.json), .init("bounds", bounds.json),
    ]
    if let photoBase { fields.append(.init("photoBase", .string(photoBase))) }
    return .object(fields)
  }

  /// Reads a personal log.
  /// - Parameters:
  ///   - text: the lines.
  ///   - earlier: the parts that the phone has, if the text has only the changes since them.
  /// - Throws: `InputError` if the text is incomplete, or of a newer format.
  public init(text: String, since earlier: [Part] = []) throws(InputError) {
    // Splits bytes, because splitting characters takes ten times as long.
    let feed = UInt8(ascii: "\n")
    var lines = text.utf8.split(separator: feed).map { String(decoding: $0, as: UTF8.self) }[...]
    guard let head = lines.popFirst().flatMap({ try? JSONValue($0) }),
      let format = head["personalLog"]
    else { throw InputError("personalLog", "this is not a personal log") }
    guard format == .int(Self.format) else {
      throw InputError("format", "the personal log has the format \(format.text)")
    }
    guard case .string(let reader)? = head["reader"], let position = head["position"]?.uint64,
      case .string(let clock)? = head["time"], let time = Timestamp(clock),
      let rules = head["rules"].flatMap({ try? Rules(json: $0.text, edition: 1) })
    else { throw InputError("personalLog", "its head is incomplete") }
    self.init(
      reader: reader, position: position, time: time, rules: rules,
      bounds: Bounds(head["bounds"] ?? .null))
    if case .string(let base)? = head["photoBase"] { photoBase = base }
    let end = lines.popLast().flatMap { try? JSONValue($0) }
    var keys = earlier.map(\.key)
    if case .array(let listed)? = lines.last.flatMap({ try? JSONValue($0) })?["keys"] {
      keys = listed.compactMap { if case .string(let key) = $0 { key } else { nil } }
      if PlantedBug.keepsDroppedParts.isPlanted {
        keys += earlier.map(\.key).filter { !keys.contains($0) }
      }
      lines.removeLast()
    }
    guard end?["end"] == .int(lines.count) else {
      throw InputError("personalLog", "it is cut off")
    }
    var known = Dictionary(earlier.map { ($0.key, $0) }, uniquingKeysWith: { _, last in last })
    for line in lines {
      guard let json = try? JSONValue(line), let part = Part(json) else {
        throw InputError("personalLog", "a part cannot be read")
      }
      known[part.key] = part
    }
    for key in keys {
      guard let part = known[key] else {
        throw InputError("personalLog", "the part \(printable(key)) is missing")
      }
      parts.append(part)
    }
    guard end?["parts"] == .int(parts.count) || PlantedBug.keepsDroppedParts.isPlanted else {
      throw InputError("personalLog", "parts are missing")
    }
  }
}

extension PersonalLog.Bounds {
  fileprivate var json: JSONValue {
    .object([
      .init("ownWorkouts", .int(ownWorkouts)),
      .init("workoutsPerPerson", .int(workoutsPerPerson)),
      .init("workoutsWithReactions", .int(workoutsWithReactions)),
      .init("messages", .int(messages)), .init("unreadMessages", .int(unreadMessages)),
      .init("members", .int(members)),
    ])
  }

  fileprivate init(_ json: JSONValue) {
    func read(_ name: String, _ value: inout Int) {
      if let number = json[name]?.uint64 { value = Int(clamping: number) }
    }
    read("ownWorkouts", &ownWorkouts)
    read("workoutsPerPerson", &workoutsPerPerson)
    read("workoutsWithReactions", &workoutsWithReactions)
    read("messages", &messages)
    read("unreadMessages", &unreadMessages)
    read("members", &members)
  }
}

extension PersonalLog.Part {
  fileprivate var json: JSONValue {
    var fields: [JSONValue.Member] = [.init("part", .string(key))]
    if isCut { fields.append(.init("isCut", .bool(true))) }
    fields.append(.init("events", .array(lines.map(\.json))))
    if !counts.isEmpty {
      let sorted = counts.sorted { $0.key < $1.key }
      fields.append(.init("counts", .object(sorted.map { .init($0.key, .int($0.value)) })))
    }
    return .object(fields)
  }

  fileprivate init?(_ json: JSONValue) {
    guard case .string(let key)? = json["part"], case .array(let events)? = json["events"]
    else { return nil }
    self.init(key)
    isCut = json["isCut"] == .bool(true)
    for event in events {
      guard let line = Line(event) else { return nil }
      lines.append(line)
    }
    guard case .object(let members)? = json["counts"] else { return }
    for member in members { counts[member.name] = member.value.uint64.map { Int(clamping: $0) } }
  }
}

extension PersonalLog.Part.Line {
  fileprivate var json: JSONValue {
    var fields: [JSONValue.Member] = []
    if let seq { fields.append(.init("seq", .int(seq))) }
    fields += [
      .init("time", .string("\(time)")), .init("type", .string(type)), .init("v", .int(version)),
      .init("data", (try? JSONValue(object: data)) ?? .object([])),
    ]
    return .object(fields)
  }

  fileprivate init?(_ json: JSONValue) {
    guard case .string(let clock)? = json["time"], let time = Timestamp(clock),
      case .string(let type)? = json["type"], let version = json["v"]?.uint64,
      case .object? = json["data"]
    else { return nil }
    self.init(
      seq: json["seq"]?.uint64, time: time, type: type, version: Int(clamping: version),
      data: Array((json["data"] ?? .null).text.utf8))
  }
}

extension PersonalLog.Held {
  /// Reads the hashes from JSON, `{"parts":{"edges":"…"},"keys":"…"}`.
  /// Each field may be absent.
  /// - Throws: `InputError` for another form.
  public init(_ json: JSONValue) throws(InputError) {
    guard case .object(let fields) = json else { throw InputError("body", "an object is expected") }
    for field in fields {
      switch (field.name, field.value) {
      case ("keys", .string(let hash)): keys = hash
      case ("parts", .object(let members)):
        for member in members {
          guard case .string(let hash) = member.value else {
            throw InputError("parts", "a text is expected for each part")
          }
          parts[member.name] = hash
        }
      default: throw InputError(printable(field.name), "only parts and keys are expected")
      }
    }
  }

  /// The hashes as JSON.
  public var json: JSONValue {
    let sorted = parts.sorted { $0.key < $1.key }
    return .object([
      .init("parts", .object(sorted.map { .init($0.key, .string($0.value)) })),
      .init("keys", .string(keys)),
    ])
  }
}
