import Aggregates
import Events
import Testing

@Suite struct TextLimitTests {
  private let created = Event.profile(
    .created(ProfileCreated(user: alice, handle: "ann", isPublic: true)))

  private func text(_ count: Int) -> String { String(repeating: "é", count: count) }

  private func edit(_ change: (inout ProfileEdited) -> Void) -> ProfileDecider.Command {
    var edit = ProfileEdited(user: alice)
    change(&edit)
    return .update(edit, handleIsFree: true)
  }

  private func item(_ change: (inout WorkoutShared) -> Void) -> WorkoutShared {
    var item = WorkoutShared(
      workout: w1, owner: alice, date: DateTime("2026-01-01T10:00:00Z")!, totalDistance: 5,
      audience: .friends)
    change(&item)
    return item
  }

  @Test("Every text of a profile has a maximal length, but an existing longer text can stay")
  func profile() {
    let members: [(TextLimits.Member, WritableKeyPath<ProfileEdited, Patch<String>>)] = [
      (.homeGym, \.homeGym), (.homeZIP, \.homeZIP), (.favoriteStyle, \.favoriteStyle),
      (.boulderGradeScale, \.boulderGradeScale), (.routeGradeScale, \.routeGradeScale),
    ]
    var rules = Rules.climb
    (rules.boulderGradeScales, rules.routeGradeScales) = ([], [])
    for (member, path) in members {
      let limit = rules.textLimits[member]
      #expect(limit == (member == .homeZIP ? 32 : 100))
      let given = Given(ProfileDecider.self, created, rules: rules)
      var longest = ProfileEdited(user: alice)
      longest[keyPath: path] = .set(text(limit))
      given.when(edit { $0[keyPath: path] = .set(" \(text(limit))\n") }, by: alice)
        .then(.profile(.edited(longest)))
      let tooLong = edit { $0[keyPath: path] = .set(text(limit + 1)) }
      given.when(tooLong, by: alice)
        .thenRefused(.invalidText(member, .tooLong(limit: limit, actual: limit + 1)))
      // An older log has such a text: an edit screen that sends it again changes nothing.
      var older = ProfileEdited(user: alice)
      older[keyPath: path] = .set(text(limit + 1))
      Given(ProfileDecider.self, created, .profile(.edited(older)), rules: rules)
        .when(tooLong, by: alice).thenNothing()
    }
  }

  @Test("A place's name has at most 100 characters, a logged climb and a product 200")
  func others() {
    func place(_ name: String) -> BaseLocationSet {
      BaseLocationSet(user: alice, latitude: 1, longitude: 2, name: name)
    }
    let given = Given(ProfileDecider.self, created)
    given.when(.setLocation(place(text(100))), by: alice)
      .then(.profile(.baseLocationSet(place(text(100)))))
    given.when(.setLocation(place(text(101))), by: alice)
      .thenRefused(.nameTooLong(limit: 100, actual: 101))
    for count in [200, 201] {
      let error = DomainError.TextProblem.tooLong(limit: 200, actual: 201)
      let send = SendLogged(user: alice, climb: text(count))
      let record = PremiumRecorded(
        user: alice, product: text(count), expires: DateTime("2026-01-01T10:00:00Z")!)
      var bill = record
      (bill.product, bill.transaction) = ("plus", text(count))
      let logged = given.when(.logSend(send), by: alice)
      let bought = given.when(.recordPremium(record), by: alice)
      let billed = given.when(.recordPremium(bill), by: alice)
      if count == 200 {
        logged.then(.profile(.sendLogged(send)))
        bought.then(.profile(.premiumRecorded(record)))
        billed.then(.profile(.premiumRecorded(bill)))
      } else {
        logged.thenRefused(.invalidText(.climb, error))
        bought.thenRefused(.invalidText(.product, error))
        billed.thenRefused(.invalidText(.transaction, error))
      }
    }
  }

  @Test("Every text of an item has a maximal length")
  func items() {
    let members: [(TextLimits.Member, Int, WritableKeyPath<WorkoutShared, String?>, StaticString)] =
      [
        (.localID, 200, \.localID, "localID"), (.workoutType, 100, \.workoutType, "workoutType"),
        (.intensityZone, 100, \.intensityZone, "intensityZone"), (.text, 5_000, \.text, "text"),
        (.session, 200, \.session, "session"), (.climb, 200, \.climb, "climb"),
      ]
    for (member, limit, path, field) in members {
      #expect(Rules.presets.allSatisfy { $0.textLimits[member] == limit })
      let longest = item { $0[keyPath: path] = text(limit) }
      Given(WorkoutDecider.self).when(.share(longest, hasProfile: true), by: alice)
        .then(.workout(.shared(longest)))
      let tooLong = item { $0[keyPath: path] = text(limit + 1) }
      let error = DomainError.invalidWorkout(field: .init(stringLiteral: field))
      Given(WorkoutDecider.self).when(.share(tooLong, hasProfile: true), by: alice)
        .thenRefused(error)
      let older = Given(WorkoutDecider.self, .workout(.shared(tooLong)))
      older.when(.share(tooLong, hasProfile: true), by: alice).thenNothing()
      let edit = WorkoutEdited(workout: w1, totalDistance: .set(6))
      older.when(.edit(edit, hasProfile: true), by: alice).then(.workout(.edited(edit)))
    }
  }

  @Test(
    "A name of only white space, controls and zero-width characters counts as empty",
    arguments: [
      "", " \n", "\u{200b}", "\u{200d}\u{feff}", "\u{7}\u{9b}", "\u{ad} \u{2060}", "\u{3164}",
      "\u{e0041}\u{fe0f}", "\u{202e}",
    ])
  func empty(name: String) {
    let profile = ProfileCreated(user: alice, handle: "ann", displayName: name, isPublic: true)
    Given(ProfileDecider.self).when(.create(profile, handleIsFree: true), by: alice).then(created)
    Given(ProfileDecider.self, rules: .ride)
      .when(.create(profile, handleIsFree: true), by: alice).thenRefused(.displayNameRequired)
    let group = GroupCreated(
      group: GroupID(index: 0), owner: alice, name: name, isPublic: true)
    Given(GroupDecider.self).when(.create(group, hasProfile: true), by: alice)
      .thenRefused(.nameEmpty)
    let place = BaseLocationSet(user: alice, latitude: 1, longitude: 2, name: name)
    Given(ProfileDecider.self, created).when(.setLocation(place), by: alice)
      .then(.profile(.baseLocationSet(BaseLocationSet(user: alice, latitude: 1, longitude: 2))))
  }

  @Test(
    "Names with U+0000, direction overrides or line feeds are refused",
    arguments: ["a\u{0}b", "a\u{202e}b", "a\u{2066}b", "a\nb", "a\r\nb", "a\u{2028}b", "a\u{85}b"])
  func misleading(name: String) {
    let profile = ProfileCreated(user: alice, handle: "ann", displayName: name, isPublic: true)
    Given(ProfileDecider.self).when(.create(profile, handleIsFree: true), by: alice)
      .thenRefused(.invalidText(.displayName, .character))
    let given = Given(ProfileDecider.self, created)
    given.when(edit { $0.displayName = .set(name) }, by: alice)
      .thenRefused(.invalidText(.displayName, .character))
    given.when(edit { $0.homeGym = .set(name) }, by: alice)
      .thenRefused(.invalidText(.homeGym, .character))
    given.when(edit { $0.bio = .set(name) }, by: alice)
      .then(.profile(.edited(ProfileEdited(user: alice, bio: .set(name)))))
    let group = GroupCreated(
      group: GroupID(index: 0), owner: alice, name: name, isPublic: true)
    Given(GroupDecider.self).when(.create(group, hasProfile: true), by: alice)
      .thenRefused(.invalidText(.groupName, .character))
    let place = BaseLocationSet(user: alice, latitude: 1, longitude: 2, name: name)
    given.when(.setLocation(place), by: alice)
      .thenRefused(.invalidText(.locationName, .character))
    // A family of emoji is joined by characters without a width.
    let family = ProfileEdited(user: alice, displayName: .set("👩‍👩‍👧 é\u{200e}"))
    given.when(.update(family, handleIsFree: true), by: alice).then(.profile(.edited(family)))
  }

  @Test("A grade scale is one that the rules offer, in any case, and is stored as they write it")
  func scales() {
    let given = Given(ProfileDecider.self, created)
    given.when(edit { $0.boulderGradeScale = .set(" FONT ") }, by: alice)
      .then(.profile(.edited(ProfileEdited(user: alice, boulderGradeScale: .set("font")))))
    given.when(edit { $0.routeGradeScale = .set("French") }, by: alice)
      .then(.profile(.edited(ProfileEdited(user: alice, routeGradeScale: .set("french")))))
    given.when(edit { $0.boulderGradeScale = .set("french") }, by: alice)
      .thenRefused(.invalidText(.boulderGradeScale, .notOffered))
    given.when(edit { $0.routeGradeScale = .set("v") }, by: alice)
      .thenRefused(.invalidText(.routeGradeScale, .notOffered))
    given.when(edit { $0.routeGradeScale = .set(" ") }, by: alice).thenNothing()
    // Forgetting replaces a text with one of these.
    for blank in ["-", "+"] {
      given.when(edit { $0.boulderGradeScale = .set(blank) }, by: alice)
        .then(.profile(.edited(ProfileEdited(user: alice, boulderGradeScale: .set(blank)))))
    }
    var rules = Rules.climb
    rules.boulderGradeScales = ["V"]
    let gym = Given(ProfileDecider.self, created, rules: rules)
    gym.when(edit { $0.boulderGradeScale = .set("v") }, by: alice)
      .then(.profile(.edited(ProfileEdited(user: alice, boulderGradeScale: .set("V")))))
    gym.when(edit { $0.boulderGradeScale = .set("font") }, by: alice)
      .thenRefused(.invalidText(.boulderGradeScale, .notOffered))
  }
}
