import Aggregates
import Testing
import UseCases

@Suite struct ProfileUseCaseTests {
  @Test("A profile is created with the given members and shown with all of them")
  func create() async throws {
    let test = try await TestCore()
    let created = await test.do(
      "CreateProfile", as: "a", #"{"user":"a","handle":"Alice","displayName":"  Al \n"}"#)
    #expect(
      created
        == #"{"user":"a","handle":"Alice","displayName":"Al","photoURL":null,"bio":null,"#
        + #""isPublic":true,"followerCount":0,"followingCount":0,"sendCount":0,"#
        + #""relationship":"self","isFollowedByMe":false,"friendCount":0,"#
        + #""homeGym":null,"homeZIP":null,"climbingSince":null,"favoriteStyle":null,"#
        + #""boulderGradeScale":null,"routeGradeScale":null,"riderType":null,"#
        + #""baseLocation":null,"sports":[],"createdAt":"2026-01-19T09:00:00.000Z","#
        + #""updatedAt":"2026-01-19T09:00:00.000Z","isPremium":false,"premium":[]}"#)
    // A caller without a user has no relationship to anybody, and sees no subscription.
    let seen = created.replacing(
      #""relationship":"self","isFollowedByMe":false"#,
      with: #""relationship":null,"isFollowedByMe":null"#
    ).replacing(
      #""isPremium":false,"premium":[]"#, with: #""isPremium":null,"premium":null"#)
    #expect(await test.do("GetProfile", #"{"handle":"ALICE"}"#) == seen)
    #expect(await test.do("GetProfile", as: "a") == created)
    #expect(await test.do("RefreshProfile", #"{"user":"a"}"#) == seen)
  }

  @Test(
    "CreateProfile refuses invalid input with its reason",
    arguments: [
      ("b", #"{"user":"b","handle":" Al_ice "}"#, "invalidHandle"),
      ("b", #"{"user":"b","handle":"ALICE"}"#, "handleAlreadyTaken"),
      ("alice", #"{"user":"alice","handle":"other"}"#, "profileExists"),
      ("gone", #"{"user":"gone","handle":"other"}"#, "profileExists"),
      ("b", #"{"user":"c","handle":"other"}"#, "notAuthorized"),
      ("a b", #"{"user":"a b","handle":"other"}"#, "invalidInput"),
      ("..", #"{"user":"..","handle":"other"}"#, "invalidInput"),
    ])
  func createRefused(_ user: String, _ input: String, _ code: String) async throws {
    let test = try await TestCore()
    try await test.people("alice", "gone")
    _ = await test.do("DeleteAccount", as: "gone")
    let before = await test.count
    #expect(await test.do("CreateProfile", as: user, input) == code)
    #expect(await test.count == before)
  }

  @Test("A command without a user is unauthorized")
  func nobody() async throws {
    let test = try await TestCore()
    // The leaderboard of all users needs no user, the friends' leaderboard does.
    for entry in Registry.all
    where entry.about.errors.contains("unauthorized") && !entry.about.name.hasSuffix("Leaderboard")
    {
      var input: [JSONMember] = []
      for field in entry.fields where field.isRequired { input.append(sample(field)) }
      let text = "{" + input.map { "\"\($0.name)\":\($0.json)" }.joined(separator: ",") + "}"
      #expect(await test.do(entry.about.name, text) == "unauthorized", "\(entry.about.name)")
    }
    #expect(await test.count == 0)
  }

  @Test("A handle is available, taken or invalid; a user's own is available")
  func availability() async throws {
    let test = try await TestCore()
    try await test.people("alice", "bob")
    func check(_ handle: String, as user: String? = nil) async -> String {
      await test.do("CheckHandleAvailability", as: user, #"{"handle":"\#(handle)"}"#)
    }
    #expect(await check("carol") == #""available""#)
    #expect(await check("ALICE") == #""taken""#)
    #expect(await check("ALICE", as: "bob") == #""taken""#)
    #expect(await check("ALICE", as: "alice") == #""available""#)
    #expect(await check("al") == #""invalid""#)
    #expect(await check(" alice") == #""invalid""#)
    _ = await test.do("UpdateProfile", as: "alice", #"{"handle":"alicia"}"#)
    _ = await test.do("DeleteAccount", as: "bob")
    test.clock.advance(by: 30 * 86_400)
    #expect(await check("alice") == #""available""#)
    #expect(await check("bob") == #""available""#)
  }

  @Test("An update keeps omitted members and clears null ones")
  func update() async throws {
    let test = try await TestCore()
    try await test.people("alice", "bob")
    _ = await test.do(
      "UpdateProfile", as: "alice",
      #"{"bio":"slow","homeGym":"Boulderwelt","climbingSince":"2011-05-01","riderType":"both"}"#)
    _ = await test.do("UpdateProfile", as: "alice", #"{"homeGym":null,"handle":"Alicia"}"#)
    let profile = try await GetProfile(test.core).execute(.init(handle: "alicia"), as: nil)
    #expect(profile.handle == "Alicia" && profile.bio == "slow")
    #expect(profile.details?.homeGym == nil && profile.details?.riderType == .both)
    #expect(profile.details.map { "\($0.climbingSince!)" } == "2011-05-01")
    let before = await test.count
    _ = await test.do("UpdateProfile", as: "alice", #"{"bio":" slow ","homeGym":null}"#)
    #expect(await test.count == before)
    #expect(
      await test.do("UpdateProfile", as: "bob", #"{"handle":"ALICIA"}"#) == "handleAlreadyTaken")
    #expect(
      await test.do("UpdateProfile", as: "alice", #"{"handle":"ALICIA"}"#) != "handleAlreadyTaken")
    test.clock.advance(by: 30 * 86_400)
    #expect(
      await test.do("UpdateProfile", as: "bob", #"{"handle":"alice"}"#).contains(
        #""handle":"alice""#))
    #expect(
      await test.do("UpdateProfile", as: "bob", #"{"user":"alice","bio":"x"}"#) == "notAuthorized")
    #expect(await test.do("UpdateProfile", as: "zoe", #"{"bio":"x"}"#) == "profileNotFound")
  }

  @Test("A bio of 280 emoji passes, and 281 are refused with limit and actual")
  func bio() async throws {
    let test = try await TestCore()
    try await test.people("alice")
    let emoji = String(repeating: "🇨🇭👨‍👩‍👧‍👦", count: 140)
    #expect(emoji.count == 280)
    let fits = try await UpdateProfile(test.core).execute(.init(bio: .set(emoji)), as: "alice")
    #expect(fits.row.bio == emoji)
    await #expect(throws: UseCaseError.refused(.bioTooLong(limit: 280, actual: 281))) {
      try await UpdateProfile(test.core).execute(.init(bio: .set(emoji + "🏔")), as: "alice")
    }
    let reply = await test.reply("UpdateProfile", as: "alice", #"{"bio":"\#(emoji)x"}"#)
    #expect(
      reply.json.text
        == #"{"ok":false,"error":"bioTooLong","#
        + #""message":"the bio has 281 characters, 280 are allowed"}"#
    )
  }

  @Test("The ride rules refuse a blank display name and allow long bios")
  func ride() async throws {
    let test = try await TestCore(.ride)
    #expect(
      await test.do(
        "CreateProfile", as: "a", #"{"user":"a","handle":"ann","displayName":" "}"#)
        == "displayNameRequired")
    _ = await test.do("CreateProfile", as: "a", #"{"user":"a","handle":"ann","displayName":"Ann"}"#)
    #expect(
      await test.do("UpdateProfile", as: "a", #"{"displayName":null}"#) == "displayNameRequired")
    let long = String(repeating: "x", count: 41)
    #expect(
      await test.do("UpdateProfile", as: "a", #"{"displayName":"\#(long)"}"#)
        == "displayNameTooLong")
  }

  @Test("Others see only the identity of a private profile, and the owner sees everything")
  func privacy() async throws {
    let test = try await TestCore(.erg)
    try await test.people("alice", "bob")
    _ = await test.do(
      "UpdateProfile", as: "alice", #"{"isPublic":false,"bio":"mine","homeGym":"B"}"#)
    _ = await test.do("SetBaseLocation", as: "alice", #"{"latitude":46.5,"longitude":8}"#)
    _ = await test.do("SetSport", as: "alice", #"{"sport":"rowing","level":"expert"}"#)
    let shown = try await GetProfile(test.core).execute(.init(user: "alice"), as: "bob")
    #expect(shown.row.handle == "alice" && shown.row.bio == nil && !shown.row.isPublic)
    #expect(
      shown.row.followerCount == nil && shown.row.relationship?.word == "none")
    #expect(shown.details == nil && shown.friendCount == 0)
    #expect(await test.do("GetBaseLocation", as: "bob", #"{"user":"alice"}"#) == "null")
    #expect(await test.do("GetSports", as: "bob", #"{"user":"alice"}"#) == "[]")
    let own = try await GetProfile(test.core).execute(.init(), as: "alice")
    #expect(own.row.bio == "mine" && own.details?.homeGym == "B")
    #expect(
      await test.do("GetBaseLocation", as: "alice")
        == #"{"latitude":46.5,"longitude":8,"name":null}"#)
  }

  @Test("Search finds any part of handle or name, ignoring case and diacritics, in order")
  func search() async throws {
    let test = try await TestCore()
    for (user, handle, name) in [
      ("1", "anna", "Zoë"), ("2", "ann", "x"), ("3", "joann", "y"), ("4", "bert", "Susanna Å"),
      ("5", "Ann_b", "z"), ("6", "hidden_ann", "Ann"),
    ] {
      _ = await test.do(
        "CreateProfile", as: user,
        #"{"user":"\#(user)","handle":"\#(handle)","displayName":"\#(name)"}"#)
    }
    _ = await test.do("UpdateProfile", as: "6", #"{"isPublic":false}"#)
    func search(_ query: String, _ rest: String = "", as user: String? = "1") async -> [String] {
      await test.list(
        "SearchProfiles", as: user, #"{"query":"\#(query)"\#(rest)}"#, member: "handle")
    }
    #expect(await search("ANN") == ["ann", "Ann_b", "anna", "bert", "joann"])
    #expect(await search(" ann ", #","limit":2"#) == ["ann", "Ann_b"])
    #expect(await search("ann", #","limit":0"#) == ["ann"])
    #expect(await search("zoe") == ["anna"])
    #expect(await search("na a") == ["bert"])
    #expect(await test.do("SearchProfiles", as: "1", #"{"query":" a "}"#) == "queryTooShort")
    _ = await test.do("DeleteAccount", as: "2")
    #expect(await search("ann") == ["Ann_b", "anna", "bert", "joann"])
  }

  @Test("Sports are listed in order, set, changed and removed")
  func sports() async throws {
    let test = try await TestCore(.ride)
    _ = await test.do(
      "CreateProfile", as: "alice", #"{"user":"alice","handle":"alice","displayName":"Al"}"#)
    #expect(
      await test.list("ListSports", member: "id").starts(with: ["ski", "snowboard", "freestyle"]))
    #expect(await test.list("ListSports", member: "name").prefix(2) == ["Skiing", "Snowboarding"])
    #expect(
      await test.do("SetSport", as: "alice", #"{"sport":"ski","level":"expert","isMentor":true}"#)
        == "null")
    #expect(
      await test.do("SetSport", as: "alice", #"{"sport":"rowing","level":"beginner"}"#) == "null")
    #expect(
      await test.do("SetSport", as: "alice", #"{"sport":"chess","level":"beginner"}"#)
        == "unknownSport")
    #expect(
      await test.do("SetSport", as: "alice", #"{"sport":"a b","level":"beginner"}"#)
        == "unknownSport")
    #expect(
      await test.do("SetSport", as: "alice", #"{"sport":"ski","level":"good"}"#) == "invalidInput")
    #expect(await test.list("GetSports", as: "alice", member: "sport") == ["ski", "rowing"])
    #expect(await test.do("RemoveSport", as: "alice", #"{"sport":"ski"}"#) == "null")
    #expect(
      await test.do("GetSports", #"{"user":"alice"}"#)
        == #"[{"sport":"rowing","level":"beginner","isMentor":false}]"#)
    #expect(
      await test.do("SetBaseLocation", as: "alice", #"{"latitude":90.01,"longitude":0}"#)
        == "outOfRange")
    #expect(
      await test.do("SetBaseLocation", as: "alice", #"{"latitude":-90,"longitude":180,"name":"S"}"#)
        == "null")
    #expect(
      await test.do("GetBaseLocation", as: "alice", #"{"user":"alice"}"#)
        == #"{"latitude":-90,"longitude":180,"name":"S"}"#)
    #expect(await test.do("ClearBaseLocation", as: "alice") == "null")
    #expect(await test.do("GetBaseLocation", #"{"user":"alice"}"#) == "null")
    #expect(await test.do("GetSports", #"{"user":"nobody"}"#) == "[]")
  }

  @Test("Sends are counted, and deleting an account removes all its data")
  func deletion() async throws {
    let test = try await TestCore()
    try await test.people("alice", "bob", "carol")
    _ = await test.do("LogSend", as: "alice", #"{"climb":"Action Directe"}"#)
    _ = await test.do("LogSend", as: "alice", #"{"climb":"Action Directe"}"#)
    #expect(
      try await GetProfile(test.core).execute(.init(user: "alice"), as: nil).row.sendCount == 2)
    _ = await test.do("FollowUser", as: "alice", #"{"followee":"bob"}"#)
    _ = await test.do("FollowUser", as: "carol", #"{"followee":"alice"}"#)
    try await test.befriend("alice", "bob")
    await test.share("w1", by: "bob")
    await test.share("w2", by: "alice")
    _ = await test.do("ToggleChup", as: "alice", #"{"workout":"w1"}"#)
    _ = await test.do("PostComment", as: "alice", #"{"workout":"w1","text":"hi","comment":"c1"}"#)
    _ = await test.do("PostComment", as: "bob", #"{"workout":"w1","text":"ho","comment":"c2"}"#)
    _ = await test.do("ToggleCommentHeart", as: "alice", #"{"comment":"c2"}"#)
    _ = await test.do("DeleteAccount", as: "alice")
    #expect(await test.do("GetProfile", #"{"user":"alice"}"#) == "profileNotFound")
    #expect(
      await test.do("GetFollowCounts", #"{"user":"bob"}"#) == #"{"followers":0,"following":0}"#)
    #expect(
      await test.do("GetFollowCounts", #"{"user":"carol"}"#) == #"{"followers":0,"following":0}"#)
    #expect(await test.do("GetFriends", as: "bob") == "[]")
    #expect(
      await test.do("GetChups", as: "bob", #"{"workout":"w1"}"#)
        == #"{"count":0,"chuppedByMe":false,"users":[]}"#)
    #expect(
      await test.list("GetComments", as: "bob", #"{"workout":"w1"}"#, member: "hearts") == ["0"])
    #expect(await test.do("GetWorkout", as: "bob", #"{"workout":"w2"}"#) == "workoutNotFound")
    #expect(await test.list("GetFeed", as: "bob", member: "workout") == ["w1"])
    #expect(await test.do("GetNotifications", as: "bob") == "[]")
    for (name, input) in [
      ("FollowUser", #"{"followee":"alice"}"#), ("SendFriendRequest", #"{"receiver":"alice"}"#),
    ] {
      #expect(await test.do(name, as: "bob", input) == "profileNotFound")
    }
    #expect(await test.do("LogSend", as: "alice", #"{"climb":"x"}"#) == "profileNotFound")
    #expect(await test.do("DeleteAccount", as: "alice") == "profileNotFound")
    #expect(test.core.brokenInvariant() == nil)
  }
}

typealias JSONMember = (name: String, json: String)

func sample(_ field: Field) -> JSONMember {
  let json =
    switch field.kind {
    case .text: #""x""#
    case .flag: "true"
    case .integer, .number: "1"
    case .date: #""2026-01-01""#
    case .dateTime, .dateOrTime: #""2026-01-01T00:00:00Z""#
    case .image: #""data:image/png;base64,\#(pixelText)""#
    case .choice(let names): "\"\(names[0])\""
    case .list: "[]"
    case .object: "{}"
    case .optional, .nothing: "null"
    }
  return (field.name, json)
}
