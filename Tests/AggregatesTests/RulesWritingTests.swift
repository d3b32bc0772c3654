import Events
import Testing

@testable import Aggregates

@Suite struct RulesWritingTests {
  /// Rules that are not a preset.
  private static let odd: Rules = {
    var rules = Rules(name: "gym")
    rules.handleRequired = false
    rules.handleCapitals = false
    rules.handleLength = 2...9
    rules.displayNameLimit = 7
    rules.displayNameRequired = true
    rules.bioLimit = 11
    rules.commentLimit = 12
    rules.textLimits[.homeGym] = 5
    rules.boulderGradeScales = ["v"]
    rules.routeGradeScales = []
    rules.reactions = [.wow, .fire]
    rules.messages = .following
    rules.circle = .friends
    rules.audience = .private
    rules.itemMembers = .allOf([.text, .climb])
    rules.privateProfiles = .limited
    rules.listing = .anybody
    rules.sports = [Rules.Sport("rowing"), Rules.Sport(id: "x", name: "X \"y\"", icon: "i")]
    rules.photoLimit = 13
    return rules
  }()

  @Test("Rules are read back as they were written", arguments: Rules.presets + [odd])
  func roundTrip(_ rules: Rules) throws {
    #expect(try Rules(json: rules.json.text) == rules)
    #expect(try Rules(json: JSONValue.object(rules.members).text) == rules)
  }

  @Test("Presets are written by their names")
  func presets() {
    for preset in Rules.presets {
      #expect(preset.json.text == #"{"base":"\#(preset.name)","edition":2}"#)
    }
  }

  @Test("Every member of the rules is written")
  func members() {
    let names = Mirror(reflecting: Self.odd).children.compactMap { $0.label }
    #expect(Set(Self.odd.members.map { $0.name }) == Set(names))
    #expect(names.count > 15)
  }
}
