import Events

extension Rules {
  /// The rules as a JSON object that `init(json:)` reads: the name of a preset, the edition, and
  /// the fields that differ from the preset.
  ///
  /// ```swift
  /// Rules.erg.json.text  // {"base":"erg","edition":2}
  /// ```
  public var json: JSONValue {
    let written = members
    var best: [JSONValue.Member]?
    for preset in Rules.presets {
      let given = preset.of(edition: edition).members
      var differing = [
        JSONValue.Member("base", .string(preset.name)), JSONValue.Member("edition", .int(edition)),
      ]
      for (index, member) in written.enumerated() where member != given[index] {
        let isLimits = member.name == "textLimits"
        differing.append(
          isLimits ? .init(member.name, textLimits.json(unlike: preset.textLimits)) : member)
      }
      if best.map({ differing.count < $0.count }) ?? true { best = differing }
    }
    return .object(best ?? written)
  }

  /// All fields, in the order in which `init(json:)` reads them.
  package var members: [JSONValue.Member] {
    [
      .init("name", .string(name)),
      .init("edition", .int(edition)),
      .init("handleRequired", .bool(handleRequired)),
      .init("handleCapitals", .bool(handleCapitals)),
      .init("handleRestDays", .int(handleRestDays)),
      .init(
        "handleLength", .array([.int(handleLength.lowerBound), .int(handleLength.upperBound)])),
      .init("displayNameRequired", .bool(displayNameRequired)),
      .init("textLimits", textLimits.json(unlike: nil)),
      .init("boulderGradeScales", Self.words(boulderGradeScales)),
      .init("routeGradeScales", Self.words(routeGradeScales)),
      .init("photoLimit", .int(photoLimit)),
      .init("reactions", Self.words(reactions)),
      .init("messages", .string(messages.rawValue)),
      .init("circle", .string(circle.rawValue)),
      .init("audience", .string(audience.rawValue)),
      .init("privateProfiles", .string(privateProfiles.rawValue)),
      .init("listing", .string(listing.rawValue)),
      .init("itemMembers", itemMembers.json),
      .init("sports", .array(sports.map { $0.json })),
    ]
  }

  private static func words(_ words: [String]) -> JSONValue { .array(words.map { .string($0) }) }

  private static func words<Word: RawRepresentable<String>>(_ words: [Word]) -> JSONValue {
    .array(words.map { .string($0.rawValue) })
  }
}

extension TextLimits {
  /// Returns an object with the limits that differ from `others`; all limits if `others` is nil.
  fileprivate func json(unlike others: TextLimits?) -> JSONValue {
    .object(
      Member.allCases.filter { others?[$0] != self[$0] }
        .map { .init($0.rawValue, .int(self[$0])) })
  }
}

extension Rules.ItemMembers {
  fileprivate var json: JSONValue {
    func list(_ name: String, _ members: [Member]) -> JSONValue {
      .object([.init(name, .array(members.map { .string($0.rawValue) }))])
    }
    return switch self {
    case .anyOf(let members): list("anyOf", members)
    case .allOf(let members): list("allOf", members)
    }
  }
}

extension Rules.Sport {
  fileprivate var json: JSONValue {
    if Self.all.contains(self) { return .string(id) }
    return .object([
      .init("id", .string(id)), .init("name", .string(name)), .init("icon", .string(icon)),
    ])
  }
}
