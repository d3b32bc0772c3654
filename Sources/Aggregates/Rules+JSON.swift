import Events

/// The error for a text that does not contain valid rules in JSON.
public struct RulesFault: Error, Equatable, Sendable, CustomStringConvertible {
  /// The name of the invalid field, such as `sports[0].id`; empty if the whole text is invalid.
  public var member: String
  /// A description of the problem and of the expected value.
  public var problem: String

  public var description: String { member.isEmpty ? problem : "\(member): \(problem)" }
}

extension Rules {
  /// Reads rules from a JSON object. The field `base` names a preset, by default `climb`. Missing
  /// fields have the preset's values. `edition` is the edition of rules that name none.
  ///
  /// ```swift
  /// let rules = try Rules(json: #"{"name":"gym","base":"erg","bioLimit":500}"#)
  /// rules.bioLimit  // 500
  /// rules.handleLength.upperBound  // 20
  /// ```
  /// - Throws: `RulesFault` with the field's name, also for an unknown field.
  public init(json text: String, edition: Int = Rules.latestEdition) throws(RulesFault) {
    let value: JSONValue
    do throws(LineFault) {
      value = try JSONValue(object: text.utf8)
    } catch {
      throw RulesFault(member: "", problem: "\(error)")
    }
    var fields = RuleFields(value, path: "")
    let presets = Rules.presets.map { $0.name }
    let base = try fields.text("base") { presets.contains($0) } ?? Rules.climb.name
    self = Rules.presets.first { $0.name == base } ?? .climb
    if let name = try fields.text("name", isValid: { !$0.isEmpty }) { self.name = name }
    self.edition = edition
    try fields.count("edition", &self.edition, in: 1...Rules.latestEdition)
    try fields.flag("handleRequired", &handleRequired)
    try fields.flag("handleCapitals", &handleCapitals)
    try fields.count("handleRestDays", &handleRestDays, in: 0...366)
    try fields.range("handleLength", &handleLength)
    try fields.count("displayNameLimit", &displayNameLimit)
    try fields.flag("displayNameRequired", &displayNameRequired)
    try fields.count("bioLimit", &bioLimit)
    try fields.count("commentLimit", &commentLimit)
    try fields.limits("textLimits", &textLimits)
    try fields.words("boulderGradeScales", &boulderGradeScales)
    try fields.words("routeGradeScales", &routeGradeScales)
    try fields.count("photoLimit", &photoLimit)
    try fields.choices("reactions", &reactions)
    try fields.choice("messages", &messages)
    try fields.choice("circle", &circle)
    try fields.choice("audience", &audience)
    try fields.choice("privateProfiles", &privateProfiles)
    try fields.choice("listing", &listing)
    try fields.itemMembers("itemMembers", &itemMembers)
    try fields.sports("sports", &sports)
    try fields.end()
  }
}

/// A reader of the fields in a JSON object with rules.
private struct RuleFields {
  private let members: [JSONValue.Member]
  private let path: String
  private var known: [String] = []

  init(_ value: JSONValue, path: String) {
    if case .object(let members) = value { self.members = members } else { members = [] }
    self.path = path
  }

  private func fault(_ name: String, _ problem: String) -> RulesFault {
    RulesFault(member: path + name, problem: problem)
  }

  private mutating func take(_ name: String) -> JSONValue? {
    known.append(name)
    return members.first { $0.name == name }?.value
  }

  /// Throws an error that names an unknown field of the object, if it has one. Call this last,
  /// because a field is known only after another function has asked for it.
  func end() throws(RulesFault) {
    for member in members where !known.contains(member.name) {
      throw fault(member.name, "no such member; there are " + known.joined(separator: ", "))
    }
  }

  mutating func text(
    _ name: String, isValid: (String) -> Bool = { _ in true }
  ) throws(RulesFault) -> String? {
    guard let value = take(name) else { return nil }
    guard case .string(let text) = value, isValid(text) else {
      let names = Rules.presets.map { $0.name }.joined(separator: ", ")
      throw fault(name, name == "base" ? "one of \(names) is expected" : "a text is expected")
    }
    return text
  }

  mutating func flag(_ name: String, _ flag: inout Bool) throws(RulesFault) {
    guard let value = take(name) else { return }
    guard case .bool(let new) = value else { throw fault(name, "true or false is expected") }
    flag = new
  }

  private func count(_ value: JSONValue?) -> Int? {
    guard case .number(let text)? = value, let count = Int(text), count > 0 else { return nil }
    return count
  }

  mutating func count(_ name: String, _ count: inout Int) throws(RulesFault) {
    guard let value = take(name) else { return }
    guard let new = self.count(value) else { throw fault(name, "a number above 0 is expected") }
    count = new
  }

  mutating func count(
    _ name: String, _ count: inout Int, in range: ClosedRange<Int>
  ) throws(RulesFault) {
    guard let value = take(name) else { return }
    guard case .number(let text) = value, let new = Int(text), range.contains(new) else {
      throw fault(name, "a number from \(range.lowerBound) to \(range.upperBound) is expected")
    }
    count = new
  }

  /// Reads an object with the limits of text fields, such as `{"homeGym":40}`.
  mutating func limits(_ name: String, _ limits: inout TextLimits) throws(RulesFault) {
    guard let value = take(name) else { return }
    guard case .object = value else { throw fault(name, "an object of limits is expected") }
    var fields = RuleFields(value, path: path + name + ".")
    for member in TextLimits.Member.allCases {
      try fields.count(member.rawValue, &limits[member])
    }
    try fields.end()
  }

  /// Reads a list of texts. No two may be equal, ignoring case.
  mutating func words(_ name: String, _ words: inout [String]) throws(RulesFault) {
    guard let value = take(name) else { return }
    guard case .array(let values) = value else { throw fault(name, "a list is expected") }
    words = []
    for (index, value) in values.enumerated() {
      let place = "\(name)[\(index)]"
      guard case .string(let word) = value, !word.isEmpty else {
        throw fault(place, "a text is expected")
      }
      if words.contains(where: { $0.lowercased() == word.lowercased() }) {
        throw fault(place, "it is listed twice")
      }
      words.append(word)
    }
  }

  mutating func range(_ name: String, _ range: inout ClosedRange<Int>) throws(RulesFault) {
    guard let value = take(name) else { return }
    guard case .array(let ends) = value, ends.count == 2, let least = count(ends[0]),
      let most = count(ends[1]), least <= most
    else { throw fault(name, "the least and the greatest number are expected, such as [3,30]") }
    range = least...most
  }

  mutating func choice<Choice: CaseIterable & RawRepresentable<String>>(
    _ name: String, _ choice: inout Choice
  ) throws(RulesFault) {
    guard let value = take(name) else { return }
    choice = try word(value, name)
  }

  private func word<Choice: CaseIterable & RawRepresentable<String>>(
    _ value: JSONValue, _ place: String
  ) throws(RulesFault) -> Choice {
    if case .string(let text) = value, let choice = Choice(rawValue: text) { return choice }
    let names = Choice.allCases.map { $0.rawValue }.joined(separator: ", ")
    throw fault(place, "one of \(names) is expected")
  }

  /// Reads a list of words, each the raw value of a `Choice`. No word may occur twice.
  mutating func choices<Choice: CaseIterable & RawRepresentable<String> & Equatable>(
    _ name: String, _ choices: inout [Choice]
  ) throws(RulesFault) {
    guard let value = take(name) else { return }
    guard case .array(let values) = value else { throw fault(name, "a list is expected") }
    choices = []
    for (index, value) in values.enumerated() {
      let place = "\(name)[\(index)]"
      let choice: Choice = try word(value, place)
      if choices.contains(choice) { throw fault(place, "it is listed twice") }
      choices.append(choice)
    }
  }

  /// Reads the fields that a workout must have: `{"anyOf":["text","climb"]}` or
  /// `{"allOf":["workoutType"]}`.
  mutating func itemMembers(
    _ name: String, _ itemMembers: inout Rules.ItemMembers
  ) throws(RulesFault) {
    guard let value = take(name) else { return }
    guard case .object(let kinds) = value, kinds.count == 1,
      kinds[0].name == "anyOf" || kinds[0].name == "allOf"
    else { throw fault(name, "an object with either anyOf or allOf is expected") }
    let inner = name + "." + kinds[0].name
    guard case .array(let values) = kinds[0].value, !values.isEmpty else {
      throw fault(inner, "a list of members is expected")
    }
    var members: [Rules.ItemMembers.Member] = []
    for (index, value) in values.enumerated() {
      guard case .string(let text) = value, let member = Rules.ItemMembers.Member(rawValue: text)
      else {
        let names = Rules.ItemMembers.Member.allCases.map { $0.rawValue }.joined(separator: ", ")
        throw fault("\(inner)[\(index)]", "one of \(names) is expected")
      }
      members.append(member)
    }
    itemMembers = kinds[0].name == "anyOf" ? .anyOf(members) : .allOf(members)
  }

  /// Reads a list of sports. Each element is an object with id, name and icon, or the id of a
  /// preset's sport.
  mutating func sports(_ name: String, _ sports: inout [Rules.Sport]) throws(RulesFault) {
    guard let value = take(name) else { return }
    guard case .array(let values) = value else { throw fault(name, "a list is expected") }
    sports = []
    for (index, value) in values.enumerated() {
      let place = "\(name)[\(index)]"
      let sport = try self.sport(value, path + place)
      if sports.contains(where: { $0.id == sport.id }) { throw fault(place, "it is listed twice") }
      sports.append(sport)
    }
  }

  private func sport(_ value: JSONValue, _ place: String) throws(RulesFault) -> Rules.Sport {
    if case .string(let id) = value {
      if let known = Rules.Sport.all.first(where: { $0.id == id }) { return known }
      let names = Rules.Sport.all.map { $0.id }.joined(separator: ", ")
      throw RulesFault(
        member: place, problem: "one of \(names) is expected, or an object of id, name and icon")
    }
    var fields = RuleFields(value, path: place + ".")
    guard case .object = value,
      let id = try fields.text("id", isValid: { isValidID($0.utf8) }),
      let name = try fields.text("name"), let icon = try fields.text("icon")
    else { throw RulesFault(member: place, problem: "an object of id, name and icon is expected") }
    try fields.end()
    return Rules.Sport(id: id, name: name, icon: icon)
  }
}
