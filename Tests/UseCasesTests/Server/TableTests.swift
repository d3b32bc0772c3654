import Aggregates
import Dispatch
import Events
import FaultTesting
import PropertyTesting
import Server
import Synchronization
import Tables
import Testing
import UseCases
import UseCasesTesting

/// The tables of `serve --supabase`. Tests/Server/tables compares many queries with PostgreSQL, and
/// Tests/Server/supabase uses Supabase's own client library.
@Suite struct TableTests {
  private let core: Core
  private let service: TestService

  init() async throws {
    core = try await Core(InMemoryLog(), rules: .climb)
    service = TestService(
      core, PhotoPorts(storage: NoPhotos(), encoder: PassThroughEncoder()), supabase: Supabase(),
      now: RuntimeEnvironment.system.now)
    for user in ["ann", "bob", "cem"] {
      let made = await service.send(
        "POST", "/rest/v1/profiles", as: user, body: #"{"id":"\#(user)","handle":"\#(user)_x"}"#)
      #expect(made.status == 201 && made.body.isEmpty)
    }
  }

  private func get(
    _ target: String, as user: String?, headers: [(RequestHead.Header, String)] = []
  ) async -> (status: Int, body: String) {
    await service.send("GET", "/rest/v1/" + target, as: user, headers: headers)
  }

  private func write(
    _ method: String, _ target: String, as user: String?, _ body: String = "",
    prefer: String = "return=representation"
  ) async -> (status: Int, body: String) {
    await service.send(
      method, "/rest/v1/" + target, as: user, body: body, headers: [(.prefer, prefer)])
  }

  /// The member `code` of an error.
  private func code(_ answer: (status: Int, body: String)) -> String? {
    guard let body = try? JSONValue(answer.body), case .string(let code)? = body["code"] else {
      return nil
    }
    return "\(answer.status) \(code)"
  }

  @Test("A follow ends and begins again in the same row, and an incremental query finds it")
  func follows() async throws {
    let made = await write(
      "POST", "follows?select=id,deleted_at", as: "ann", #"{"followee_id":"bob"}"#)
    let id = try #require(made.body.firstMatch(of: #/"id":"([0-9a-f-]{36})"/#)).output.1
    #expect(made.status == 201)
    let again = await write("POST", "follows", as: "ann", #"{"followee_id":"bob"}"#)
    #expect(code(again) == "409 23505")
    let ended = await write(
      "PATCH", "follows?id=eq.\(id)&select=follower_id,followee_id", as: "ann",
      #"{"deleted_at":"2020-01-01T00:00:00Z"}"#)
    #expect(ended.body == #"[{"follower_id":"ann","followee_id":"bob"}]"#)
    let live = await get("follows?follower_id=eq.ann&deleted_at=is.null", as: "bob")
    #expect(live.body == "[]")
    let changed = await get(
      "follows?select=id&or=(follower_id.eq.bob,followee_id.eq.bob)"
        + "&updated_at=gt.2025-01-01T00:00:00.5Z&deleted_at=not.is.null", as: "bob")
    #expect(changed.body == #"[{"id":"\#(id)"}]"#)
    #expect(await get("follows?select=id", as: "cem").body == "[]", "cem learns of others' ends")
    let back = await write(
      "PATCH", "follows?id=eq.\(id)&select=id,deleted_at", as: "ann", #"{"deleted_at":null}"#)
    #expect(back.body == #"[{"id":"\#(id)","deleted_at":null}]"#)
    let other = await write("DELETE", "follows?id=eq.\(id)", as: "bob")
    #expect(code(other) == "403 42501")
    #expect(core.position == 6)
  }

  @Test("A block hides which comment a reply answers, on every door, and counts stay as they are")
  func hiddenComments() async throws {
    let workout = #"{"id":"w1","date":"2026-01-05T08:00:00Z","text":"x","audience":"public"}"#
    #expect(await write("POST", "workouts", as: "ann", workout).status == 201)
    for (user, comment, reply) in [("bob", "c1", ""), ("cem", "c2", #","reply_to":"c1""#)] {
      let made = await write(
        "POST", "comments", as: user,
        #"{"id":"\#(comment)","workout_id":"w1","text":"\#(comment)"\#(reply)}"#)
      #expect(made.status == 201)
      let chup = await write("POST", "chups", as: user, #"{"workout_id":"w1"}"#)
      #expect(chup.status == 201)
    }
    func answers(_ user: String) async throws -> [String] {
      let rows = try await GetComments(core).execute(.init(workout: "w1"), as: .init(user))
      let personal = await service.send("GET", "/v1/personal-log", as: user)
      return [
        rows.map { "\($0.comment) \($0.replyTo ?? "-")" }.joined(separator: ", "),
        await get("comments?select=id,reply_to&order=id", as: user).body,
        personal.body.contains(#""replyTo":"c1""#) ? "c1" : "-",
        await get("workouts?select=chup_count,comment_count,chups(user_id)", as: user).body,
      ]
    }
    let before = try await answers("ann")
    #expect(
      before == [
        "c1 -, c2 c1", #"[{"id":"c1","reply_to":null},{"id":"c2","reply_to":"c1"}]"#, "c1",
        #"[{"chup_count":2,"comment_count":2,"chups":[{"user_id":"cem"},{"user_id":"bob"}]}]"#,
      ])
    #expect(await write("POST", "blocks", as: "ann", #"{"blocked_id":"bob"}"#).status == 201)
    let after = try await answers("ann")
    #expect(
      after == [
        "c2 -", #"[{"id":"c2","reply_to":null}]"#, "-",
        #"[{"chup_count":2,"comment_count":2,"chups":[{"user_id":"cem"}]}]"#,
      ])
    #expect(try await answers("cem")[0] == "c1 -, c2 c1")
  }

  @Test("A list of followers has their profiles, in pages, and without those who are hidden")
  func lists() async throws {
    for user in ["ann", "cem"] {
      _ = await write("POST", "follows", as: user, #"{"followee_id":"bob"}"#)
    }
    let target =
      "follows?select=follower:profiles!follower_id(handle)&followee_id=eq.bob"
      + "&deleted_at=is.null&order=created_at.desc,id"
    let both = await service.send(
      "GET", "/rest/v1/" + target + "&limit=1", as: "bob", headers: [(.prefer, "count=exact")])
    #expect(both.status == 206, "\(both.body)")
    _ = await write("PATCH", "profiles?id=eq.cem", as: "cem", #"{"is_public":false}"#)
    let seen = await get(target, as: "bob")
    #expect(seen.body == #"[{"follower":{"handle":"ann_x"}}]"#)
    let ambiguous = await get("follows?select=profiles(handle)", as: "bob")
    #expect(code(ambiguous) == "300 PGRST201")
    let deep = await get("follows?select=follower_id(handle,follows(id))", as: "bob")
    #expect(code(deep) == "400 PGRST100")
  }

  @Test("A change that affects more rows than max-affected allows writes nothing")
  func mostAffected() async throws {
    let rows = #"[{"followee_id":"bob"},{"followee_id":"cem"}]"#
    #expect(await write("POST", "follows", as: "ann", rows).status == 201)
    let before = core.position
    let all = "follows?follower_id=eq.ann&deleted_at=is.null"
    for strict in ["handling=strict, max-affected=1", "max-affected=0,handling=strict"] {
      let refused = await write("DELETE", all, as: "ann", prefer: strict)
      #expect(code(refused) == "400 PGRST124" && core.position == before, "\(refused.body)")
      #expect(refused.body.contains(#""details":"The query affects 2 rows""#))
    }
    let changed = await write(
      "PATCH", all, as: "ann", #"{"deleted_at":"now"}"#, prefer: "handling=strict,max-affected=1")
    #expect(code(changed) == "400 PGRST124" && core.position == before)
    let allowed = await write("DELETE", all, as: "ann", prefer: "handling=strict, max-affected=2")
    #expect(allowed.status == 204 && core.position == before + 2, "\(allowed.body)")
  }

  /// Posts comments on a new workout, with a text for each id; returns the workout's id.
  private func comments(_ count: Int, _ text: (String) -> String) async throws -> Substring {
    let workout = try #require(
      await write(
        "POST", "workouts?select=id", as: "ann",
        #"{"date":"2026-01-05T08:00:00Z","text":"x"}"#
      ).body.firstMatch(of: #/"id":"([^"]+)"/#)
    ).output.1
    let ids = (0..<count).map { "c\($0)" }
    for start in stride(from: 0, to: ids.count, by: 100) {
      let rows = ids[start..<start + 100].map {
        #"{"id":"\#($0)","workout_id":"\#(workout)","text":"\#(text($0))"}"#
      }
      let made = await write(
        "POST", "comments", as: "ann", "[\(rows.joined(separator: ","))]", prefer: "")
      #expect(made.status == 201, "\(made.body)")
    }
    return workout
  }

  @Test("A long query reads a snapshot beside commands, and ends when its client has left")
  func longQueries() async throws {
    let workout = try await comments(1_500) { $0 }
    var head = RequestHead(
      "GET", "/rest/v1/comments?workout_id=eq.\(workout)&select=id&order=id&limit=2")
    head[.authorization] = "Bearer ann"
    func answer(_ isGone: @escaping @Sendable () -> Bool) async throws -> (Int, String) {
      guard case .admitted(let admitted) = service.service.admit(head) else { return (0, "") }
      admitted.watch(isGone: isGone)
      let response = await withCheckedContinuation { continuation in
        service.service.handle(admitted, body: []) { continuation.resume(returning: $0()) }
      }
      service.service.ended(admitted)
      guard case .bytes(let bytes) = response.body else { return (response.status, "") }
      return (response.status, String(decoding: bytes, as: UTF8.self))
    }
    let checks = Mutex(0)
    let rows = try await answer { [core] in
      // The query is in the middle of its rows. It would wait for ever if it held the state.
      let number = checks.withLock { count in
        count += 1
        return count
      }
      if number == 3 {
        let done = DispatchSemaphore(value: 0)
        Task {
          _ = try await RemoveComment(core).execute(.init(comment: "c0"), as: "ann")
          done.signal()
        }
        #expect(done.wait(timeout: .now() + 60) == .success)
      }
      return false
    }
    #expect(rows == (200, #"[{"id":"c0"},{"id":"c1"}]"#))
    #expect(checks.withLock { $0 } > 3)
    let later = try await answer { false }
    #expect(later == (200, #"[{"id":"c1"},{"id":"c10"}]"#))
    let left = try await answer { true }
    #expect(left.0 == 503 && left.1.contains("57014"), "\(left.1)")
  }

  @Test("Long texts that begin alike are compared up to a bound; others are sorted at once")
  func longTexts() async throws {
    let alike = String(repeating: "ä", count: 900)
    let workout = try await comments(2_000) { alike + String($0.reversed()) }
    let list = "comments?workout_id=eq.\(workout)&select=id"
    #expect(code(await get(list + "&order=text", as: "ann")) == "413 54000")
    #expect(await get(list + "&order=id.desc&limit=1", as: "ann").body == #"[{"id":"c999"}]"#)
    let filter = String(repeating: "b", count: 5_000)
    #expect(await get(list + "&text=gt.\(filter)&limit=1", as: "ann").status == 200)
  }

  @Test("A request with several rows is written whole or not at all")
  func atomic() async throws {
    let before = core.position
    let rows = #"[{"followee_id":"bob"},{"followee_id":"cem"},{"followee_id":"nobody"}]"#
    let refused = await write("POST", "follows", as: "ann", rows)
    #expect(code(refused) == "409 23503" && core.position == before)
    let both = #"[{"followee_id":"bob"},{"followee_id":"cem"}]"#
    #expect(await write("POST", "follows", as: "ann", both).status == 201)
    #expect(core.position == before + 2)
    let whole = await write("PATCH", "follows", as: "ann", #"{"deleted_at":"now"}"#)
    #expect(code(whole) == "400 21000")
    let many = await write(
      "POST", "follows", as: "ann",
      "[" + Array(repeating: #"{"followee_id":"bob"}"#, count: 101).joined(separator: ",") + "]")
    #expect(code(many) == "413 54000")
  }

  @Test("A whole row can be sent back; computed columns are ignored, protected ones are not")
  func wholeRows() async throws {
    let row = await get(
      "profiles?id=eq.ann", as: "ann", headers: [(.accept, "application/vnd.pgrst.object+json")])
    let before = core.position
    let same = await write(
      "POST", "profiles?on_conflict=id", as: "ann", row.body,
      prefer: "resolution=merge-duplicates,return=representation")
    #expect(same.status == 201 && same.body == "[\(row.body)]" && core.position == before)
    let counted = await write(
      "PATCH", "profiles?id=eq.ann&select=follower_count,bio", as: "ann",
      #"{"follower_count":1000000,"bio":"b"}"#)
    #expect(counted.body == #"[{"follower_count":0,"bio":"b"}]"#)
    let paid = await write(
      "PATCH", "profiles?id=eq.ann", as: "ann", #"{"premium_product_id":"all"}"#)
    #expect(code(paid) == "403 42501")
    let unknown = await write("PATCH", "profiles?id=eq.ann", as: "ann", #"{"role":"admin"}"#)
    #expect(code(unknown) == "400 PGRST204")
    let conflict = await write(
      "POST", "profiles?on_conflict=handle", as: "ann", row.body,
      prefer: "resolution=merge-duplicates")
    #expect(code(conflict) == "400 42P10")
  }

  @Test(
    "Each refusal has the code that clients of PostgREST know",
    arguments: [
      ("profiles?nope=eq.1", "400 42703"), ("profiles?select=nope", "400 42703"),
      ("nope", "404 PGRST205"), ("rpc/f", "404 PGRST202"),
      ("profiles?handle=foo.x", "400 PGRST100"),
      ("profiles?handle=eq", "400 PGRST100"), ("profiles?or=(handle.eq.x", "400 PGRST100"),
      ("profiles?select=handle(", "400 PGRST200"), ("profiles?select=handle::text", "400 PGRST100"),
      ("profiles?follower_count=gt.x", "400 22P02"), ("profiles?is_public=eq.x", "400 22P02"),
      ("profiles?created_at=gt.x", "400 22007"), ("follows?id=eq.x", "400 22P02"),
      ("profiles?order=handle.up", "400 PGRST100"), ("profiles?limit=-1", "400 PGRST100"),
      ("profiles?follower_count=like.1", "404 42883"),
      ("profiles?comments.order=id", "400 PGRST108"),
    ])
  func refusals(target: String, expected: String) async throws {
    let answer = await get(target, as: "ann")
    #expect(code(answer) == expected, "\(answer.body)")
  }

  @Test("Without a token, single public items can be read, and lists cannot")
  func nobody() async throws {
    #expect(await get("profiles?id=eq.ann&select=handle", as: nil).body == #"[{"handle":"ann_x"}]"#)
    #expect(code(await get("profiles?is_public=is.true", as: nil)) == "401 42501")
    #expect(code(await get("follows?follower_id=eq.ann", as: nil)) == "401 42501")
    let written = await write("POST", "follows", as: nil, #"{"followee_id":"bob"}"#)
    #expect(code(written) == "401 42501")
    // The public key as a token means that nobody is signed in.
    let key = await get("profiles?is_public=is.true", as: "anon", headers: [(.apiKey, "anon")])
    #expect(code(key) == "401 42501")
    let missing = await get(
      "profiles?id=eq.zoe", as: "ann", headers: [(.accept, "application/vnd.pgrst.object+json")])
    #expect(code(missing) == "406 PGRST116")
  }

  @Test("Only with --supabase are there tables, and only with the key if there is one")
  func gates() async throws {
    let photos = PhotoPorts(storage: NoPhotos(), encoder: PassThroughEncoder())
    let plain = TestService(core, photos, now: RuntimeEnvironment.system.now)
    let none = await plain.send("GET", "/rest/v1/profiles", as: "ann")
    #expect(code(none) == "404 PGRST205")
    var options = Supabase()
    options.apiKey = "public"
    let keyed = TestService(core, photos, supabase: options, now: RuntimeEnvironment.system.now)
    let refused = await keyed.send("GET", "/rest/v1/profiles", as: "ann")
    #expect(refused.status == 401)
    let allowed = await keyed.send(
      "GET", "/rest/v1/profiles", as: "ann", headers: [(.apiKey, "public")])
    #expect(allowed.status == 200)
  }

  @Test(
    "A query that no index answers is refused beyond its bound, and says which index would help")
  func bound() async throws {
    for start in stride(from: 0, to: 21_000, by: 1_000) {
      _ = try await core.commit(as: "ann") { [core] model throws(UseCaseError) in
        for number in start..<start + 1_000 {
          if Sweep.chosen != .short {
            _ = try LogSend(core).decide(.init(climb: "c\(number)"), in: &model)
          }
          _ = try ShareWorkout(core).decide(
            .init(workout: "w\(number)", date: .now, text: "t", audience: .public), in: &model)
        }
      }
    }
    let scan = await get("workouts?text=eq.t&order=id&limit=1", as: "bob")
    #expect(code(scan) == "413 54000" && scan.body.contains("owner_id"), "\(scan.body)")
    let newest = await get("workouts?owner_id=eq.ann&order=date.desc&limit=2&select=id", as: "bob")
    #expect(newest.status == 200 && newest.body.hasPrefix(#"[{"id":"w"#))
    let counted = await service.send(
      "GET", "/rest/v1/workouts?owner_id=eq.ann", as: "bob", headers: [(.prefer, "count=exact")])
    #expect(code(counted) == "413 54000")
  }

  @Test(
    "A write changes only what it names: keys stay, and a role must follow from the present one")
  func exactWrites() async throws {
    let group = await write("POST", "groups?select=id", as: "ann", #"{"name":"g","id":"g1"}"#)
    #expect(group.body == #"[{"id":"g1"}]"#)
    let invited = await write(
      "POST", "group_members", as: "ann", #"{"group_id":"g1","user_id":"bob"}"#)
    #expect(invited.status == 201)
    let row = "group_members?group_id=eq.g1&user_id=eq.bob"
    let declined = await write("PATCH", row, as: "bob", #"{"role":"declined"}"#)
    #expect(code(declined) == "400 23514")
    #expect(await write("PATCH", row, as: "bob", #"{"role":"member"}"#).status == 200)
    let moved = await write("PATCH", row, as: "ann", #"{"user_id":"cem","role":"admin"}"#)
    #expect(code(moved) == "403 42501")
    let raised = await write("PATCH", row + "&select=role", as: "ann", #"{"role":"admin"}"#)
    #expect(raised.body == #"[{"role":"admin"}]"#)
    let upserted = await write(
      "POST", "messages", as: "ann", #"{"id":"m1","receiver_id":"bob","text":"x"}"#)
    #expect(code(upserted) == "403 42501", "ann does not follow bob")
  }

  @Test("Both rows of a friendship end it once; a removal skips rows of others")
  func severalRows() async throws {
    _ = await write("POST", "friendships", as: "ann", #"{"friend_id":"bob"}"#)
    let both =
      "friendships?or=(and(user_id.eq.ann,friend_id.eq.bob),"
      + "and(user_id.eq.bob,friend_id.eq.ann))"
    let accepted = await write("PATCH", both, as: "bob", #"{"status":"accepted"}"#)
    #expect(accepted.status == 200, "\(accepted.body)")
    let before = core.position
    #expect(await write("DELETE", both, as: "ann").status == 200)
    #expect(core.position == before + 1)
    for user in ["ann", "cem"] {
      _ = await write("POST", "follows", as: user, #"{"followee_id":"bob"}"#)
    }
    let removed = await write(
      "DELETE", "follows?followee_id=eq.bob&deleted_at=is.null&select=follower_id", as: "ann")
    #expect(removed.body == #"[{"follower_id":"ann"}]"#)
    let left = await get("follows?select=follower_id&deleted_at=is.null", as: "bob")
    #expect(left.body == #"[{"follower_id":"cem"}]"#)
    let ignored = await write(
      "POST", "follows", as: "cem", #"{"followee_id":"bob"}"#,
      prefer: "resolution=ignore-duplicates,return=representation")
    #expect(ignored.status == 201 && ignored.body == "[]")
  }

  @Test("Requests that would cost too much are refused before they cost anything")
  func limits() async throws {
    let wide = await get(
      "profiles?select=" + Array(repeating: "*", count: 20).joined(separator: ","), as: "ann")
    #expect(code(wide) == "413 54000")
    let patterns = (0..<101).map { "bio.ilike.*\($0)*" }.joined(separator: ",")
    #expect(code(await get("profiles?or=(\(patterns))", as: "ann")) == "413 54000")
    let deep = String(repeating: "not.", count: 3_000)
    #expect(code(await get("profiles?handle=\(deep)eq.x", as: "ann")) == "400 PGRST100")
    let far = await get(
      "profiles?id=eq.ann&offset=9223372036854775807", as: nil, headers: [(.range, "1-")])
    #expect(far.body == "[]")
    let space = await get("profiles?display_name=ilike.*%20*", as: "ann")
    #expect(space.status == 200)
  }

  @Test("Slow patterns and long answers are refused while the query runs")
  func work() async throws {
    let text = String(repeating: "a", count: 1_000)
    for start in stride(from: 0, to: 1_000, by: 500) {
      _ = try await core.commit(as: "ann") { [core] model throws(UseCaseError) in
        if start == 0 {
          _ = try ShareWorkout(core).decide(
            .init(workout: "w", date: .now, text: "t", audience: .public), in: &model)
        }
        for number in start..<start + 500 {
          _ = try PostComment(core).decide(
            .init(workout: "w", text: text, comment: "c\(number)"), in: &model)
        }
      }
    }
    // Each comparison tries half of the pattern at each of a thousand places.
    let slow = "comments?workout_id=eq.w&text=like.*\(text.prefix(500))b*"
    #expect(code(await get(slow, as: nil)) == "413 54000")
    let quick = await get("comments?workout_id=eq.w&text=like.*b*&select=id", as: nil)
    #expect(quick.status == 200 && quick.body == "[]", "\(quick.body)")
    let aliases = (0..<20).map { "m\($0):text" }.joined(separator: ",")
    let embedded = (0..<18).map { "e\($0):comments(text)" }.joined(separator: ",")
    for query in [
      "comments?workout_id=eq.w&select=\(aliases)", "workouts?id=eq.w&select=\(embedded)",
    ] {
      let long = await get(query, as: nil)
      #expect(code(long) == "413 54000" && long.body.contains("16 MiB"), "\(long.body.prefix(500))")
    }
    let page = "comments?workout_id=eq.w&limit=100&select=\(aliases)"
    #expect(await get(page, as: nil).status == 200)
  }

  @Test("No query text traps or is answered with an error in another form")
  func hostile() async throws {
    let words = [
      "select", "order", "limit", "offset", "or", "and", "not.", "handle", "id", "profiles", "(",
      ")",
      "=", "&", ",", ".", "eq", "ilike", "in", "is", "null", "*", "%25", "\"", "\\", "!", ":", "::",
      "%F0%9F%98%80", "e%CC%81", "%00", "9223372036854775808", "-1", "inner", "->", "..", "true",
    ]
    try await check(runs: 300) { t in
      let table = t.draw(.element(of: Table.all.map(\.name)), "table")
      let text = t.draw(.array(of: .element(of: words), 0...24), "words").joined()
      let method = t.draw(.element(of: ["GET", "HEAD", "PATCH", "DELETE", "POST"]), "method")
      let answer = await service.send(
        method, "/rest/v1/\(table)?\(text)", as: "ann", body: #"{"text":"x"}"#)
      if answer.status >= 300 {
        let error = try JSONValue(answer.body)
        #expect(
          answer.status < 500 && error["code"] != nil && error["hint"] != nil, "\(answer.body)")
      }
    }
  }
}
