import Aggregates
import Events
import Testing

@Suite struct ProfileTests {
  private func profile(_ handle: String = "alice", name: String? = nil) -> ProfileCreated {
    ProfileCreated(user: alice, handle: handle, displayName: name, isPublic: true)
  }
  private var created: Event { .profile(.created(profile())) }
  private func edit(_ edit: ProfileEdited, free: Bool = true) -> ProfileDecider.Command {
    .update(edit, handleIsFree: free)
  }

  @Test("A profile is created once, by its user, with a free handle")
  func create() {
    let given = Given(ProfileDecider.self)
    given.when(.create(profile(), handleIsFree: true), by: alice).then(created)
    given.when(.create(profile(), handleIsFree: true), by: bob).thenRefused(.notAuthorized)
    given.when(.create(profile(), handleIsFree: true), by: nil).thenRefused(.unauthorized)
    given.when(.create(profile(), handleIsFree: false), by: alice)
      .thenRefused(.handleAlreadyTaken)
    Given(ProfileDecider.self, created).when(.create(profile(), handleIsFree: true), by: alice)
      .thenRefused(.profileExists)
    Given(ProfileDecider.self, created, .accountDeleted(UserReference(user: alice)))
      .when(.create(profile(), handleIsFree: true), by: alice).thenRefused(.profileExists)
  }

  @Test(
    "Each preset accepts and refuses the right handles",
    arguments: [
      ("alice", true, true), ("Alice", true, false), ("al", false, false), ("a_1", true, true),
      ("1ab", false, false), ("_ab", false, false), (" Al_ice ", false, false), ("", false, false),
      ("al-ice", false, false), ("älice", false, false),
      (String(repeating: "a", count: 20), true, true),
      (String(repeating: "a", count: 21), true, false),
      (String(repeating: "a", count: 30), true, false),
      (String(repeating: "a", count: 31), false, false),
    ])
  func handles(_ handle: String, climb: Bool, erg: Bool) {
    #expect((Rules.climb.problem(withHandle: handle) == nil) == climb)
    #expect((Rules.ride.problem(withHandle: handle) == nil) == climb)
    #expect((Rules.erg.problem(withHandle: handle) == nil) == erg)
  }

  @Test("A bio of 280 emoji passes, and 281 do not")
  func bio() {
    let text = String(repeating: "🇯🇵👨‍👩‍👧‍👦", count: 140)
    let given = Given(ProfileDecider.self, created)
    given.when(edit(ProfileEdited(user: alice, bio: .set(" \(text)\n"))), by: alice)
      .then(.profile(.edited(ProfileEdited(user: alice, bio: .set(text)))))
    given.when(edit(ProfileEdited(user: alice, bio: .set(text + "x"))), by: alice)
      .thenRefused(.bioTooLong(limit: 280, actual: 281))
  }

  @Test("An edit records only changes, no event without any, and null clears a value")
  func edits() {
    let given = Given(
      ProfileDecider.self, created, .profile(.edited(ProfileEdited(user: alice, bio: .set("b")))))
    given.when(edit(ProfileEdited(user: alice, bio: .set("b"), isPublic: true)), by: alice)
      .thenNothing()
    given.when(edit(ProfileEdited(user: alice, bio: .clear, homeGym: .clear)), by: alice)
      .then(.profile(.edited(ProfileEdited(user: alice, bio: .clear))))
    given.when(edit(ProfileEdited(user: alice, isPublic: false, riderType: .set(.both))), by: alice)
      .then(.profile(.edited(ProfileEdited(user: alice, isPublic: false, riderType: .set(.both)))))
    given.when(edit(ProfileEdited(user: alice, bio: .set("x"))), by: bob)
      .thenRefused(.notAuthorized)
    Given(ProfileDecider.self).when(edit(ProfileEdited(user: alice)), by: alice)
      .thenRefused(.profileNotFound)
  }

  @Test("A taken handle is refused, but a user may change the case of their own")
  func ownHandle() {
    let given = Given(ProfileDecider.self, created)
    given.when(edit(ProfileEdited(user: alice, handle: .set("bob")), free: false), by: alice)
      .thenRefused(.handleAlreadyTaken)
    given.when(edit(ProfileEdited(user: alice, handle: .set("ALICE")), free: false), by: alice)
      .then(.profile(.edited(ProfileEdited(user: alice, handle: .set("ALICE")))))
    given.when(edit(ProfileEdited(user: alice, handle: .set("a b"))), by: alice)
      .thenRefused(.invalidHandle(.whiteSpace))
  }

  @Test(
    "The ride rules limit a display name to 40 characters, and a name once set cannot be cleared")
  func ride() {
    let given = Given(ProfileDecider.self, rules: .ride)
    given.when(.create(profile(), handleIsFree: true), by: alice)
      .then(.profile(.created(profile())))
    Given(ProfileDecider.self, .profile(.created(profile())), rules: .ride)
      .when(edit(ProfileEdited(user: alice, displayName: .clear)), by: alice).thenNothing()
    given.when(.create(profile(name: " \n"), handleIsFree: true), by: alice)
      .thenRefused(.displayNameRequired)
    let long = String(repeating: "é", count: 41)
    given.when(.create(profile(name: long), handleIsFree: true), by: alice)
      .thenRefused(.displayNameTooLong(limit: 40, actual: 41))
    let named = profile(name: "Al")
    Given(ProfileDecider.self, .profile(.created(named)), rules: .ride)
      .when(edit(ProfileEdited(user: alice, displayName: .clear)), by: alice)
      .thenRefused(.displayNameRequired)
  }

  @Test("Locations must be on the globe and sports in the list, and repeats change nothing")
  func placesAndSports() throws {
    let given = Given(ProfileDecider.self, created)
    for (latitude, longitude) in [(90.1, 0), (-91, 0), (0, 180.5), (0, -181), (Double.nan, 0)] {
      let place = BaseLocationSet(user: alice, latitude: latitude, longitude: longitude)
      given.when(.setLocation(place), by: alice).thenRefused(.outOfRange)
    }
    let pole = BaseLocationSet(user: alice, latitude: 90, longitude: -180)
    given.when(.setLocation(pole), by: alice).then(.profile(.baseLocationSet(pole)))
    given.when(.clearLocation(alice), by: alice).thenNothing()
    let rowing = SportSet(
      user: alice, sport: try SportID("rowing"), level: .expert, isMentor: false)
    given.when(.setSport(rowing), by: alice).then(.profile(.sportSet(rowing)))
    Given(ProfileDecider.self, created, .profile(.sportSet(rowing))).when(
      .setSport(rowing), by: alice
    )
    .thenNothing()
    var chess = rowing
    chess.sport = try SportID("chess")
    given.when(.setSport(chess), by: alice).thenRefused(.unknownSport)
    given.when(.removeSport(SportRemoved(user: alice, sport: rowing.sport)), by: alice)
      .thenNothing()
  }

  @Test("Setting a photo again changes nothing, and a file that is not an image is refused")
  func photoEvents() {
    func photo(_ bytes: Int64, _ type: String = "image/png") -> ProfilePhotoSet {
      ProfilePhotoSet(user: alice, url: "u", path: "p", bytes: bytes, contentType: type)
    }
    let given = Given(ProfileDecider.self, created)
    let limit: Int64 = 5 * 1_024 * 1_024
    given.when(.setPhoto(photo(limit)), by: alice).then(.profile(.photoSet(photo(limit))))
    given.when(.setPhoto(photo(limit + 1)), by: alice).thenRefused(
      .imageTooLarge(.bytes(Int(limit))))
    given.when(.setPhoto(photo(0)), by: alice).thenRefused(.invalidImage)
    given.when(.setPhoto(photo(-1)), by: alice).thenRefused(.invalidImage)
    given.when(.setPhoto(photo(1, "image/gif")), by: alice).thenRefused(.invalidImage)
    given.when(.removePhoto(alice), by: alice).thenNothing()
    let set = Given(ProfileDecider.self, created, .profile(.photoSet(photo(1))))
    set.when(.setPhoto(photo(1)), by: alice).thenNothing()
    set.when(.removePhoto(alice), by: alice)
      .then(.profile(.photoRemoved(UserReference(user: alice))))
  }

  @Test("A deleted account refuses every command, and no event opens it again")
  func deleted() throws {
    let gone = Event.accountDeleted(UserReference(user: alice))
    Given(ProfileDecider.self, created).when(.delete(alice, ownsGroups: false), by: alice).then(
      gone)
    Given(ProfileDecider.self, created).when(.delete(alice, ownsGroups: false), by: bob)
      .thenRefused(.notAuthorized)
    let rowing = try SportID("rowing")
    let commands: [ProfileDecider.Command] = [
      edit(ProfileEdited(user: alice, bio: .set("b"))), .removePhoto(alice),
      .setLocation(BaseLocationSet(user: alice, latitude: 0, longitude: 0)),
      .clearLocation(alice), .removeSport(SportRemoved(user: alice, sport: rowing)),
      .logSend(SendLogged(user: alice, climb: "c")), .delete(alice, ownsGroups: false),
      .setWeeklyGoal(WeeklyGoalSet(user: alice, meters: 1)),
      .recordPremium(
        PremiumRecorded(user: alice, product: "plus", expires: DateTime(.epoch))),
    ]
    for given in [
      Given(ProfileDecider.self), Given(ProfileDecider.self, created, gone),
      Given(ProfileDecider.self, created, gone, created),
    ] {
      for command in commands { given.when(command, by: alice).thenRefused(.profileNotFound) }
    }
    Given(ProfileDecider.self, created, gone, created)
      .when(.create(profile(), handleIsFree: true), by: alice).thenRefused(.profileExists)
  }

  @Test("A weekly goal is 0 to 10,000,000 metres, and setting it again changes nothing")
  func goals() {
    func goal(_ meters: Int64) -> WeeklyGoalSet { WeeklyGoalSet(user: alice, meters: meters) }
    let given = Given(ProfileDecider.self, created)
    for meters: Int64 in [1, 10_000_000] {
      given.when(.setWeeklyGoal(goal(meters)), by: alice)
        .then(.profile(.weeklyGoalSet(goal(meters))))
    }
    for meters: Int64 in [-1, 10_000_001] {
      given.when(.setWeeklyGoal(goal(meters)), by: alice).thenRefused(.outOfRange)
    }
    given.when(.setWeeklyGoal(goal(0)), by: alice).thenNothing()
    let set = Given(ProfileDecider.self, created, .profile(.weeklyGoalSet(goal(5))))
    set.when(.setWeeklyGoal(goal(5)), by: alice).thenNothing()
    set.when(.setWeeklyGoal(goal(0)), by: alice).then(.profile(.weeklyGoalSet(goal(0))))
    set.when(.setWeeklyGoal(goal(6)), by: bob).thenRefused(.notAuthorized)
  }

  @Test("A premium record replaces that of the same product, and repeating it changes nothing")
  func premium() {
    func record(_ product: String, _ day: Int64, _ id: String? = nil) -> PremiumRecorded {
      PremiumRecorded(
        user: alice, product: product,
        expires: DateTime(Timestamp(milliseconds: day * 86_400_000)), transaction: id)
    }
    let given = Given(ProfileDecider.self, created, .profile(.premiumRecorded(record("plus", 1))))
    given.when(.recordPremium(record("plus", 1)), by: alice).thenNothing()
    for other in [record("plus", 2), record("coach", 1), record("plus", 1, "t1")] {
      given.when(.recordPremium(other), by: alice).then(.profile(.premiumRecorded(other)))
    }
  }

  @Test("The same send counts each time")
  func sends() {
    let send = Event.profile(.sendLogged(SendLogged(user: alice, climb: "c")))
    Given(ProfileDecider.self, created, send)
      .when(.logSend(SendLogged(user: alice, climb: "c")), by: alice).then(send)
  }

  @Test("Every text of an edit is trimmed, and an empty one clears")
  func texts() {
    let given = Given(
      ProfileDecider.self, created,
      .profile(.edited(ProfileEdited(user: alice, homeGym: .set("g"), riderType: .set(.both)))))
    given.when(
      edit(ProfileEdited(user: alice, homeGym: .set(" "), homeZIP: .set(" 1 "))), by: alice
    ).then(.profile(.edited(ProfileEdited(user: alice, homeGym: .clear, homeZIP: .set("1")))))
    given.when(edit(ProfileEdited(user: alice, riderType: .clear)), by: alice)
      .then(.profile(.edited(ProfileEdited(user: alice, riderType: .clear))))
    given.when(
      edit(ProfileEdited(user: alice, homeGym: .set("g "), riderType: .set(.both))), by: alice
    ).thenNothing()
    Given(
      ProfileDecider.self, created,
      .profile(.edited(ProfileEdited(user: alice, bio: .set("e\u{301}"))))
    ).when(edit(ProfileEdited(user: alice, bio: .set("\u{e9}"))), by: alice)
      .then(.profile(.edited(ProfileEdited(user: alice, bio: .set("\u{e9}")))))
  }

  @Test("A refused handle is reported with its problem")
  func handleProblems() {
    let long = String(repeating: "a", count: 21)
    for (rules, handle, problem): (Rules, String, DomainError.HandleProblem) in [
      (.climb, "", .tooShort(limit: 3, actual: 0)), (.climb, "ab", .tooShort(limit: 3, actual: 2)),
      (.erg, long, .tooLong(limit: 20, actual: 21)), (.climb, "_abc", .firstCharacter),
      (.erg, "aBc", .capital), (.climb, "abc ", .whiteSpace), (.climb, " Al_ice ", .whiteSpace),
      (.ride, "al\u{a0}ice", .whiteSpace), (.ride, "al-ice", .character),
      (.climb, "\u{130}lker", .character),
    ] {
      #expect(rules.problem(withHandle: handle) == problem)
    }
  }

  @Test("A photo is JPEG or PNG by its first bytes and at most 5 MiB")
  func photos() throws {
    let jpeg: [UInt8] = [0xff, 0xd8, 0xff, 0xe0]
    try Rules.climb.checkPhoto(jpeg)
    #expect(throws: DomainError.invalidImage) { try Rules.climb.checkPhoto([]) }
    #expect(throws: DomainError.invalidImage) { try Rules.climb.checkPhoto([0x47, 0x49, 0x46]) }
    let limit = 5 * 1_024 * 1_024
    try Rules.climb.checkPhoto(jpeg + [UInt8](repeating: 0, count: limit - 4))
    #expect(throws: DomainError.imageTooLarge(.bytes(limit))) {
      try Rules.climb.checkPhoto(jpeg + [UInt8](repeating: 0, count: limit - 3))
    }
  }
}
