import Aggregates
import Events
import Testing

/// The table of rules: one test for each row, with the presets as columns.
@Suite struct RulesTests {
  private let created = Event.profile(
    .created(
      ProfileCreated(user: alice, handle: "alice", displayName: "Al", isPublic: true)))

  private func update(_ edit: ProfileEdited) -> ProfileDecider.Command {
    .update(edit, handleIsFree: true)
  }

  @Test(
    "A display name has at most 50, 50 and 40 Characters after trimming",
    arguments: [(Rules.climb, 50), (.erg, 50), (.ride, 40)])
  func displayName(_ rules: Rules, _ limit: Int) {
    let given = Given(ProfileDecider.self, created, rules: rules)
    let name = String(repeating: "e\u{301}", count: limit)
    given.when(update(ProfileEdited(user: alice, displayName: .set("\n \(name)\t"))), by: alice)
      .then(.profile(.edited(ProfileEdited(user: alice, displayName: .set(name)))))
    given.when(update(ProfileEdited(user: alice, displayName: .set(name + "x"))), by: alice)
      .thenRefused(.displayNameTooLong(limit: limit, actual: limit + 1))
    let creation = ProfileCreated(
      user: alice, handle: "alice", displayName: name + "x", isPublic: true)
    Given(ProfileDecider.self, rules: rules)
      .when(.create(creation, handleIsFree: true), by: alice)
      .thenRefused(.displayNameTooLong(limit: limit, actual: limit + 1))
  }

  @Test(
    "Only the ride rules refuse a blank display name",
    arguments: [(Rules.climb, false), (.erg, false), (.ride, true)])
  func required(_ rules: Rules, _ isRequired: Bool) {
    for name in [nil, "", " \n"] {
      let creation = ProfileCreated(
        user: alice, handle: "alice", displayName: name, isPublic: true)
      let when = Given(ProfileDecider.self, rules: rules)
        .when(.create(creation, handleIsFree: true), by: alice)
      if isRequired, name != nil {
        when.thenRefused(.displayNameRequired)
      } else {
        when.then(
          .profile(.created(ProfileCreated(user: alice, handle: "alice", isPublic: true))))
      }
    }
  }

  @Test(
    "A bio has at most 280, 280 and 1000 Characters after trimming",
    arguments: [(Rules.climb, 280), (.erg, 280), (.ride, 1_000)])
  func bio(_ rules: Rules, _ limit: Int) {
    let given = Given(ProfileDecider.self, created, rules: rules)
    let bio = String(repeating: "👨‍👩‍👧‍👦🇨🇭", count: limit / 2)
    given.when(update(ProfileEdited(user: alice, bio: .set(" \(bio) "))), by: alice)
      .then(.profile(.edited(ProfileEdited(user: alice, bio: .set(bio)))))
    given.when(update(ProfileEdited(user: alice, bio: .set(bio + "🇨🇭"))), by: alice)
      .thenRefused(.bioTooLong(limit: limit, actual: limit + 1))
  }

  @Test("A comment has at most 1000 Characters after trimming", arguments: Rules.presets)
  func comment(_ rules: Rules) {
    func post(_ text: String) -> When {
      Given(CommentDecider.self, rules: rules).when(
        .post(
          CommentPosted(comment: c1, workout: w1, user: alice, text: text), .visible,
          replyExists: true), by: alice)
    }
    let text = String(repeating: "👍🏽", count: 1_000)
    post("\n\(text) ").then(
      .comment(.posted(CommentPosted(comment: c1, workout: w1, user: alice, text: text))))
    post(text + "x").thenRefused(.commentTooLong(limit: 1_000, actual: 1_001))
    post(" \u{2003}\n").thenRefused(.commentEmpty)
  }

  @Test(
    "Every preset accepts any app's sport in a log and offers only its own",
    arguments: [
      "ski", "snowboard", "freestyle", "freeride", "touring", "cross-country", "telemark",
      "climbing", "bouldering", "rowing", "cycling", "running",
    ])
  func sports(_ name: String) throws {
    for rules in Rules.presets {
      let sport = SportSet(
        user: alice, sport: try SportID(name), level: .beginner, isMentor: true)
      Given(ProfileDecider.self, created, rules: rules).when(.setSport(sport), by: alice)
        .then(.profile(.sportSet(sport)))
      let other = SportSet(
        user: alice, sport: try SportID(name + "s"), level: .beginner, isMentor: true)
      Given(ProfileDecider.self, created, rules: rules).when(.setSport(other), by: alice)
        .thenRefused(.unknownSport)
      let isOffered = rules.sports.contains { $0.id == name }
      let mayBeAdded = (try? rules.checkOffered(SportID(name))) != nil
      #expect(mayBeAdded == isOffered)
    }
    #expect(Rules.presets.map(\.sports.count) == [2, 3, 12])
  }

  @Test(
    "Coordinates are valid up to the bounds",
    arguments: [
      (90.0, 180.0, true), (-90, -180, true), (0, 0, true), (90.000_001, 0, false),
      (-90.000_001, 0, false), (0, 180.000_001, false), (0, -180.000_001, false),
      (.infinity, 0, false), (0, -.infinity, false), (.nan, 0, false), (0, .nan, false),
    ])
  func coordinates(_ latitude: Double, _ longitude: Double, _ isValid: Bool) {
    let place = BaseLocationSet(user: alice, latitude: latitude, longitude: longitude)
    let when = Given(ProfileDecider.self, created).when(.setLocation(place), by: alice)
    if isValid {
      when.then(.profile(.baseLocationSet(place)))
    } else {
      when.thenRefused(.outOfRange)
    }
  }

  @Test("The presets of rules are those of the apps, and climb is the default")
  func presets() {
    #expect(Rules.presets.map(\.name) == ["climb", "erg", "ride"])
    #expect(Rules.presets.map(\.handleLength) == [3...30, 3...20, 3...30])
    #expect(Rules.presets.map(\.handleCapitals) == [true, false, true])
    #expect(Rules.presets.allSatisfy { $0.photoLimit == 5_242_880 })
  }
}
