import Aggregates
import Events

// A personal log as lines of JSON: a head, a line for each part, and a last line with the number of
// parts, so that a log that was cut off is noticed.
extension PersonalLog {
  /// The personal log as lines of JSON; see docs/server.md.
  public var text: String {
    var text = head.text + "\n"
    for part in parts { text += part.json.text + "\n" }
    return text + JSONValue.object([.init("end", .int(parts.count))]).text + "\n"
  }

  private var head: JSONValue {
    .object([
      .init("personalLog", .int(Self.format)), .init("reader", .string(reader)),
      .init("position", .int(position)), .init("time", .string("\(time)")),
      .init("rules", rules.json), .init("bounds", bounds.json),
    ])
  }

  /// Reads a personal log.
  /// - Throws: `InputError` if the text is incomplete, or of a newer format.
  public init(text: String) throws(InputError) {
    var lines = text.split(separator: "\n").map(String.init)[...]
    guard let head = lines.popFirst().flatMap({ try? JSONValue($0) }),
      let format = head["personalLog"]
    else { throw InputError("personalLog", "this is not a personal log") }
    guard format == .int(Self.format) else {
      throw InputError("personalLog", "it has the format \(format.text); update the app")
    }
    guard case .string(let reader)? = head["reader"], let position = head["position"]?.uint64,
      case .string(let clock)? = head["time"], let time = Timestamp(clock),
      let rules = head["rules"].flatMap({ try? Rules(json: $0.text) })
    else { throw InputError("personalLog", "its head is incomplete") }
    self.init(
      reader: reader, position: position, time: time, rules: rules,
      bounds: Bounds(head["bounds"] ?? .null))
    guard let end = lines.popLast(), (try? JSONValue(end))?["end"] == .int(lines.count) else {
      throw InputError("personalLog", "it is cut off")
    }
    for line in lines {
      guard let json = try? JSONValue(line), let part = Part(json) else {
        throw InputError("personalLog", "a part cannot be read")
      }
      parts.append(part)
    }
  }
}

extension PersonalLog.Bounds {
  fileprivate var json: JSONValue {
    .object([
      .init("workoutsPerPerson", .int(workoutsPerPerson)),
      .init("ownWorkouts", .int(ownWorkouts)), .init("perWorkout", .int(perWorkout)),
      .init("messages", .int(messages)), .init("members", .int(members)),
    ])
  }

  fileprivate init(_ json: JSONValue) {
    func read(_ name: String, _ value: inout Int) {
      if let number = json[name]?.uint64 { value = Int(clamping: number) }
    }
    read("workoutsPerPerson", &workoutsPerPerson)
    read("ownWorkouts", &ownWorkouts)
    read("perWorkout", &perWorkout)
    read("messages", &messages)
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

extension JSONValue {
  fileprivate var uint64: UInt64? { if case .number(let digits) = self { UInt64(digits) } else { nil } }
}
