import Events
import FaultTesting
import Foundation
import Projections
import Testing

@Suite struct SearchTests {
  /// Profiles, whose users' ids are their first handles.
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
        .profile(
          .created(
            ProfileCreated(user: user, handle: handle, displayName: name, isPublic: isPublic))))
    }

    mutating func edit(_ id: String, _ change: (inout ProfileEdited) -> Void) throws {
      var edit = ProfileEdited(user: try names.user(id))
      change(&edit)
      apply(.profile(.edited(edit)))
    }

    mutating func delete(_ id: String) throws {
      apply(.accountDeleted(UserReference(user: try names.user(id))))
    }

    mutating func find(_ query: String, limit: Int = 20) -> [String] {
      search.settle()
      #expect(search.brokenInvariant(names) == nil)
      return search.matches(query, limit: limit, names).map { names[$0] }
    }
  }

  @Test(
    "An exact handle comes first, then handles with that beginning, then others, each by handle")
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

  @Test("A search ignores case, diacritics and white space around the query")
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

  @Test("Only public profiles are found, also after changes")
  func visibility() throws {
    var fixture = Fixture()
    try fixture.create("anna", isPublic: false)
    #expect(fixture.find("anna") == [])
    try fixture.edit("anna") { $0.isPublic = true }
    #expect(fixture.find("anna") == ["anna"])
    try fixture.edit("anna") { $0.isPublic = false }
    #expect(fixture.find("anna") == [])
    try fixture.edit("anna") { $0.handle = .set("berta") }
    try fixture.edit("anna") { $0.isPublic = true }
    #expect(fixture.find("berta") == ["anna"])
    #expect(fixture.find("anna") == [])
  }

  @Test("A search finds the edited handle and name, also a cleared one, and ignores other edits")
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

  @Test("A deleted account stays deleted, and an account is created once")
  func deletion() throws {
    var fixture = Fixture()
    try fixture.edit("anna") { $0.handle = .set("early") }
    #expect(fixture.find("early") == [])
    try fixture.create("anna")
    let anna = try fixture.user("anna")
    fixture.apply(.profile(.created(ProfileCreated(user: anna, handle: "second", isPublic: true))))
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

  @Test("A query that is empty after folding finds nobody")
  func nothingLeft() throws {
    var fixture = Fixture()
    try fixture.create("anna")
    #expect(fixture.find("\u{301}\n\u{301}") == [])
    #expect(fixture.find("") == [])
  }

  @Test("Handles that fold to the same text are in the order of their own bytes")
  func alike() throws {
    var fixture = Fixture()
    for handle in ["anna", "ANNA", "Anna", "anNa"] { try fixture.create(handle) }
    #expect(fixture.find("anna") == ["ANNA", "Anna", "anNa", "anna"])
    #expect(fixture.find("nn") == ["ANNA", "Anna", "anNa", "anna"])
  }
}

/// Ten thousand profiles and more, so that there are segments, and changes of some.
@Suite struct SearchIndexTests {
  /// The same answers by searching everything.
  private struct NaiveSearch {
    enum Account {
      case none, deleted
      case open(handle: String?, name: String?, isPublic: Bool)
    }
    var accounts: [Account]

    mutating func apply(_ event: Event) {
      switch event {
      case .profile(.created(let new)):
        guard case .none = accounts[Int(new.user.index)] else { return }
        accounts[Int(new.user.index)] = .open(
          handle: new.handle, name: new.displayName, isPublic: new.isPublic)
      case .profile(.edited(let edit)):
        guard case .open(var handle, var name, let isPublic) = accounts[Int(edit.user.index)]
        else { return }
        edit.displayName.apply(to: &name)
        edit.handle.apply(to: &handle)
        accounts[Int(edit.user.index)] = .open(
          handle: handle, name: name, isPublic: edit.isPublic ?? isPublic)
      case .accountDeleted(let deleted): accounts[Int(deleted.user.index)] = .deleted
      default: break
      }
    }

    func matches(_ query: String, limit: Int) -> [UserID] {
      let query = String(decoding: Folding.fold(query), as: UTF8.self)
      var found: [(group: Int, name: String, folded: String, handle: String, user: UserID)] = []
      for (index, account) in accounts.enumerated() {
        guard case .open(let handle, let name, true) = account else { continue }
        let folded = String(decoding: Folding.fold(handle ?? ""), as: UTF8.self)
        let foldedName = String(decoding: Folding.fold(name ?? ""), as: UTF8.self)
        guard folded.contains(query) || foldedName.contains(query) else { continue }
        let hasNone = (handle ?? "").isEmpty
        let group = hasNone ? 3 : folded == query ? 0 : folded.hasPrefix(query) ? 1 : 2
        // Only profiles without a handle are ordered by display name.
        let key = hasNone ? foldedName.utf8.map { String(Int($0) + 100) }.joined() : ""
        found.append((group, key, folded, handle ?? "", UserID(index: UInt32(index))))
      }
      found.sort {
        ($0.group, $0.name, $0.folded, $0.handle, $0.user.index)
          < ($1.group, $1.name, $1.folded, $1.handle, $1.user.index)
      }
      return found.prefix(limit).map(\.user)
    }
  }

  private static let parts = [
    "an", "na", "bo", "lu", "Mar", "ti", "Jo", "sé", "å", "Bjø", "rn", "el", "_", "9", "7", "x",
    "Wei", "zz", "qu",
  ]
  private static let names = [
    "Anna", "Åse", "José", "Łukasz", "Сергей", "한글", "北京", "Mc", "Lind", "Martínez", "李",
    "O’Neil", "van der", "🧗", "ß",
  ]

  private func text(_ parts: [String], _ separator: String, _ random: inout SplitMix64) -> String {
    (0..<Int.random(in: 1...4, using: &random)).map { _ in parts.randomElement(using: &random)! }
      .joined(separator: separator)
  }

  /// Handles of ASCII, because `String` and the search order others differently.
  private func handle(_ random: inout SplitMix64) -> String {
    String(text(Self.parts, "", &random).unicodeScalars.filter(\.isASCII))
  }

  private func change(_ users: Int, _ random: inout SplitMix64) -> Event {
    let user = UserID(index: UInt32.random(in: 0..<UInt32(users), using: &random))
    switch Int.random(in: 0..<20, using: &random) {
    case 0: return .accountDeleted(UserReference(user: user))
    case 1..<10:
      let name = Bool.random(using: &random) ? text(Self.names, " ", &random) : nil
      return .profile(
        .created(
          ProfileCreated(
            user: user, handle: perhaps(handle(&random), &random), displayName: name,
            isPublic: Int.random(in: 0..<4, using: &random) > 0)))
    default:
      var edit = ProfileEdited(user: user)
      switch Int.random(in: 0..<6, using: &random) {
      case 0: edit.handle = .set(handle(&random))
      case 5: edit.handle = .clear
      case 1: edit.displayName = .set(text(Self.names, " ", &random))
      case 2: edit.displayName = .clear
      case 3: edit.isPublic = Bool.random(using: &random)
      default: edit.bio = .set("anna")
      }
      return .profile(.edited(edit))
    }
  }

  private func perhaps(_ handle: String, _ random: inout SplitMix64) -> String? {
    Int.random(in: 0..<5, using: &random) == 0 ? nil : handle
  }

  private func query(_ random: inout SplitMix64) -> String {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: handle(&random)
    case 1: text(Self.names, " ", &random)
    case 2: String(text(Self.names, " ", &random).dropFirst().prefix(2))
    default: String(text(Self.parts, "", &random).prefix(Int.random(in: 1...5, using: &random)))
    }
  }

  @Test(
    "After any changes, the answers equal those of a naive model",
    arguments: 0..<UInt64(Sweep.size(4, 12, 12)))
  func equalsNaiveModel(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let users = [3, 40, 2_000, 6_000][Int(seed % 4)]
    var names = Names()
    for index in 0..<users { _ = try names.user("u\(10_000 + index)") }
    var search = Search()
    var naive = NaiveSearch(accounts: Array(repeating: .none, count: users))
    for round in 0..<8 {
      for _ in 0..<Int.random(in: 0...users, using: &random) {
        let event = change(users, &random)
        search.apply(event, at: Moment(seq: 1, time: .epoch))
        naive.apply(event)
      }
      if Bool.random(using: &random) { search.settle() }
      #expect(search.brokenInvariant(names) == nil, "seed \(seed), round \(round)")
      for _ in 0..<6 {
        let query = query(&random).trimmingCharacters(in: .whitespaces)
        if Folding.fold(query).isEmpty { continue }
        let limit = [1, 3, 20, 50, 10_000].randomElement(using: &random)!
        #expect(
          search.matches(query, limit: limit, names) == naive.matches(query, limit: limit),
          "\(query), limit \(limit), seed \(seed), round \(round)")
      }
    }
  }
}
