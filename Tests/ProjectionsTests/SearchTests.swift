import Events
import Projections
import Testing

@Suite struct SearchTests {
  /// Profiles by handle, `user: handle`; each user's id is the handle it was made with.
  private struct Fixture {
    var names = Names()
    var search = Search()
    var seq: UInt64 = 0

    mutating func user(_ id: String) throws -> UserID { try names.user(id) }

    mutating func apply(_ event: Event) {
      seq += 1
      search.apply(event, at: Moment(seq: seq, time: .epoch))
    }

    mutating func create(_ handle: String, _ name: String? = nil, isPublic: Bool = true) throws {
      let user = try names.user(handle)
      apply(
        .profileCreated(
          ProfileCreated(user: user, handle: handle, displayName: name, isPublic: isPublic)))
    }

    mutating func edit(_ id: String, _ change: (inout ProfileEdited) -> Void) throws {
      var edit = ProfileEdited(user: try names.user(id))
      change(&edit)
      apply(.profileEdited(edit))
    }

    mutating func delete(_ id: String) throws {
      apply(.accountDeleted(UserReference(user: try names.user(id))))
    }

    mutating func find(_ query: String, limit: Int = 20) -> [String] {
      search.settle()
      #expect(search.brokenInvariant(names) == nil)
      return search.matches(query, limit: limit).map { names[$0] }
    }
  }

  @Test("An exact handle is first, then handles that start so, then the rest, each by handle")
  func order() throws {
    var fixture = Fixture()
    for handle in ["zanna", "anna_lind", "Anna", "susanna", "annabel", "ANNA2"] {
      try fixture.create(handle)
    }
    try fixture.create("bob", "Bob Hanna")
    try fixture.create("carl", "Carl Ann A")
    #expect(
      fixture.find("anna")
        == ["Anna", "ANNA2", "anna_lind", "annabel", "bob", "susanna", "zanna"])
    #expect(fixture.find("anna", limit: 3) == ["Anna", "ANNA2", "anna_lind"])
    #expect(fixture.find("anna", limit: 5).last == "bob")
    #expect(fixture.find("anna", limit: 0) == [])
  }

  @Test("Case, diacritics and white space around the query make no difference")
  func folding() throws {
    var fixture = Fixture()
    try fixture.create("asebj", "Åse Bjørnstad")
    try fixture.create("strasse7", "Großer Weg")
    for query in ["BJØRN", "bjorn", "  se bjo\n", "A\u{30a}SE", "åse b"] {
      #expect(fixture.find(query) == ["asebj"], "\(query)")
    }
    #expect(fixture.find("STRAẞE") == ["strasse7"])
    #expect(fixture.find("grosser") == ["strasse7"])
  }

  @Test("A match lies in the handle or in the display name, never across both")
  func across() throws {
    var fixture = Fixture()
    try fixture.create("anna", "Lind")
    for query in ["annalind", "anna lind", "al", "anna\u{0}lind"] {
      #expect(fixture.find(query) == [], "\(query)")
    }
    #expect(fixture.find("lind") == ["anna"])
  }

  @Test("Profiles that are not public are not found, and are again once they are public")
  func visibility() throws {
    var fixture = Fixture()
    try fixture.create("anna", isPublic: false)
    #expect(fixture.find("anna") == [])
    try fixture.edit("anna") { $0.isPublic = true }
    #expect(fixture.find("anna") == ["anna"])
    try fixture.edit("anna") { $0.isPublic = false }
    #expect(fixture.find("anna") == [])
    try fixture.edit("anna") { $0.handle = "berta" }
    try fixture.edit("anna") { $0.isPublic = true }
    #expect(fixture.find("berta") == ["anna"])
    #expect(fixture.find("anna") == [])
  }

  @Test("Edits count from then on, a cleared display name too, and others change nothing")
  func edits() throws {
    var fixture = Fixture()
    try fixture.create("anna", "Anna Lind")
    try fixture.edit("anna") { $0.displayName = .set("Anna Berg") }
    #expect(fixture.find("lind") == [])
    #expect(fixture.find("berg") == ["anna"])
    try fixture.edit("anna") { $0.bio = .set("lind") }
    #expect(fixture.find("berg") == ["anna"])
    #expect(fixture.find("lind") == [])
    try fixture.edit("anna") { $0.displayName = .clear }
    #expect(fixture.find("berg") == [])
    #expect(fixture.find("anna") == ["anna"])
  }

  @Test("A deleted account is gone for good, and an account is opened once")
  func deletion() throws {
    var fixture = Fixture()
    try fixture.edit("anna") { $0.handle = "early" }
    #expect(fixture.find("early") == [])
    try fixture.create("anna")
    let anna = try fixture.user("anna")
    fixture.apply(.profileCreated(ProfileCreated(user: anna, handle: "second", isPublic: true)))
    #expect(fixture.find("second") == [])
    try fixture.delete("anna")
    #expect(fixture.find("anna") == [])
    try fixture.create("anna")
    try fixture.edit("anna") { $0.isPublic = true }
    #expect(fixture.find("anna") == [])
    try fixture.delete("never")
    try fixture.create("never")
    #expect(fixture.find("never") == [])
  }

  @Test("A query of fewer than two Characters after trimming is too short")
  func tooShort() {
    for query in ["", " ", "a", " b \n", "e\u{301}", "👩‍👩‍👧", "\u{3000}字"] {
      #expect(Search.isTooShort(query), "\(query)")
    }
    for query in ["ab", " a b ", "北京", "é1"] { #expect(!Search.isTooShort(query), "\(query)") }
  }

  @Test("A query that folding leaves nothing of finds nobody")
  func nothingLeft() throws {
    var fixture = Fixture()
    try fixture.create("anna")
    #expect(fixture.find("\u{301}\n\u{301}") == [])
    #expect(fixture.find("") == [])
  }

  @Test("Handles that fold alike are in the order of their own bytes")
  func alike() throws {
    var fixture = Fixture()
    for handle in ["anna", "ANNA", "Anna", "anNa"] { try fixture.create(handle) }
    #expect(fixture.find("anna") == ["ANNA", "Anna", "anNa", "anna"])
    #expect(fixture.find("nn") == ["ANNA", "Anna", "anNa", "anna"])
  }
}
