import FaultTesting
import Testing

@testable import EventLog
@testable import Events

@Suite struct CodecTests {
  /// An event of every type, with all optional members or with none.
  static func samples(_ names: inout Names, full: Bool) throws -> [Event] {
    let (a, b) = (try names.user("alice"), try names.user("bob.1"))
    let (w, c) = (try names.workout("w-1"), try names.comment("c-1"))
    let (g, m, r) = (try names.group("g-1"), try names.message("m-1"), try names.report("r-1"))
    let event = EventID(time: .epoch, random: (1, 2))
    let text = "é\"\\\n\u{1}\u{2028}🦆"
    let interval = Interval(
      orderIndex: 0, time: "04:00.0", meters: 1_000, splitPer500m: "02:00.0", strokeRate: 28,
      heartRate: full ? 160 : nil, timeConfidence: 1, metersConfidence: 0.5, splitConfidence: 0,
      rateConfidence: 0.1, heartRateConfidence: full ? 0.25 : nil)
    let edit =
      full
      ? ProfileEdited(
        user: a, handle: .set("al"), displayName: .set(text), bio: .clear, homeGym: .set("g"),
        homeZIP: .set("1"), climbingSince: .set(CalendarDate("2000-02-29")!),
        favoriteStyle: .clear, boulderGradeScale: .set("font"), routeGradeScale: .set("uiaa"),
        isPublic: false, riderType: .set(.both)) : ProfileEdited(user: a)
    let date = DateTime("2026-01-01T10:00:00+01:00")!
    let workoutEdit =
      full
      ? WorkoutEdited(
        workout: w, date: date, workoutType: .set("x"), totalTime: .set("t"),
        totalDistance: .set(-5), averageSplit: .clear, intensityZone: .clear, isErgTest: true,
        text: .set(text), session: .set("s"), climb: .clear, audience: .set(.private))
      : WorkoutEdited(workout: w)
    return [
      .profile(
        .created(
          ProfileCreated(user: a, handle: "h", displayName: full ? text : nil, isPublic: full))),
      .profile(.edited(edit)),
      .profile(
        .photoSet(
          ProfilePhotoSet(user: a, url: "u", path: "p", bytes: .max, contentType: "image/png"))),
      .profile(.photoRemoved(UserReference(user: a))),
      .profile(
        .baseLocationSet(
          BaseLocationSet(user: a, latitude: -0.0, longitude: 1e-7, name: full ? text : nil))),
      .profile(.baseLocationCleared(UserReference(user: a))),
      .profile(
        .sportSet(SportSet(user: a, sport: try SportID("ski"), level: .expert, isMentor: full))),
      .profile(.sportRemoved(SportRemoved(user: a, sport: try SportID("ski")))),
      .profile(.sendLogged(SendLogged(user: a, climb: text))),
      .profile(.weeklyGoalSet(WeeklyGoalSet(user: a, meters: full ? 42_195 : 0))),
      .profile(
        .premiumRecorded(
          PremiumRecorded(
            user: a, product: text, expires: DateTime(.epoch), transaction: full ? text : nil))),
      .accountDeleted(UserReference(user: a)),
      .group(
        .created(
          GroupCreated(
            group: g, owner: a, name: text, description: full ? text : nil, isPublic: full))),
      .group(
        .edited(
          full
            ? GroupEdited(group: g, name: text, description: .clear, isPublic: false)
            : GroupEdited(group: g))),
      .group(.transferred(GroupTransferred(group: g, owner: b))),
      .group(.deleted(GroupReference(group: g))),
      .member(.invited(Membership(group: g, user: b))),
      .member(.requested(Membership(group: g, user: b))),
      .member(.joined(Membership(group: g, user: b))),
      .member(.left(Membership(group: g, user: b))),
      .member(.removed(Membership(group: g, user: b))),
      .member(.roleSet(MemberRoleSet(group: g, user: b, role: full ? .admin : .member))),
      .conversation(.sent(MessageSent(message: m, sender: a, receiver: b, text: text))),
      .conversation(.removed(MessageRemoved(message: m, sender: a, receiver: b))),
      .conversation(.read(ConversationRead(user: b, other: a, upTo: event))),
      .notification(.read(NotificationsRead(user: b, upTo: event))),
      .report(
        .reported(
          ContentReported(
            report: r, user: a,
            content: full
              ? ReportedContent(.profile, AnyID(b)) : ReportedContent(.message, AnyID(m)),
            reason: text))),
      .report(.closed(ReportClosed(report: r, outcome: full ? .removed : .kept))),
      .follow(.followed(Follow(follower: a, followee: b))),
      .follow(.unfollowed(Follow(follower: a, followee: b))),
      .friendship(.requested(FriendRequest(sender: b, receiver: a))),
      .friendship(.cancelled(FriendRequest(sender: b, receiver: a))),
      .friendship(.accepted(FriendRequest(sender: b, receiver: a))),
      .friendship(.rejected(FriendRequest(sender: b, receiver: a))),
      .friendship(.removed(FriendRemoved(user: b, friend: a))),
      .workout(
        .shared(
          WorkoutShared(
            workout: w, owner: a, localID: "l", date: date, workoutType: "2000m",
            totalTime: "07:00.0", totalDistance: 2_000, averageSplit: "01:45.0",
            intensityZone: full ? "AT" : nil, isErgTest: full, text: full ? text : nil,
            session: full ? "s" : nil, climb: full ? "c" : nil))),
      .workout(.edited(workoutEdit)),
      .workout(
        .detailAttached(
          WorkoutDetailAttached(
            workout: w, intervals: full ? [interval, interval] : [], image: full ? "i" : nil,
            ocrConfidence: full ? 0.93 : nil, wasManuallyEdited: full))),
      .workout(.removed(WorkoutReference(workout: w))),
      .chup(.given(ChupGiven(workout: w, user: b, big: full))),
      .chup(.withdrawn(ChupWithdrawn(workout: w, user: b))),
      .comment(
        .posted(
          CommentPosted(comment: c, workout: w, user: b, text: text, replyTo: full ? c : nil))),
      .comment(.edited(CommentEdited(comment: c, text: text))),
      .comment(.removed(CommentReference(comment: c))), .heart(.given(Heart(comment: c, user: b))),
      .heart(.withdrawn(Heart(comment: c, user: b))),
      .block(.blocked(Block(user: a, other: b))), .block(.unblocked(Block(user: a, other: b))),
      .reaction(.given(Reaction(workout: w, user: b, kind: full ? .laugh : .fire))),
      .reaction(.withdrawn(Reaction(workout: w, user: b, kind: full ? .strong : .wow))),
    ]
  }

  @Test(
    "Every event type reads back unchanged, with and without its optional members",
    arguments: [true, false])
  func roundTrip(full: Bool) async throws {
    var names = Names()
    let events = try Self.samples(&names, full: full)
    #expect(Set(events.map(\.type)).count == EventType.allCases.count)
    let log = InMemoryLog(SteppedClock().environment)
    for event in events {
      try await log.append(Commit([NewEvent(event, actor: "alice", names: names)]))
    }
    let view = log.view()
    _ = try view.verify()
    // Reads with the fast reader and, line by line, with the strict parser.
    var fast: [Event] = []
    try view.forEachTypedEvent(&names) { event, _, _ in fast.append(copy event) }
    #expect(fast == events)
    var parser = LineParser()
    var strict: [Event?] = []
    try view.forEachLine { line in
      strict.append(try? parser.parse(line.bytes, names: &names).event)
      #expect(line.event.line(after: line.previousSum) == line.bytes)
      return true
    }
    #expect(strict == events)
  }

  @Test("Canonical bytes have a fixed member order, fixed escapes and fixed number formats")
  func canonical() throws {
    var names = Names()
    let user = try names.user("a")
    func data(_ event: Event) -> String { String(decoding: event.data(names), as: UTF8.self) }
    let place = { (latitude: Double, longitude: Double) in
      data(
        .profile(
          .baseLocationSet(BaseLocationSet(user: user, latitude: latitude, longitude: longitude))))
    }
    #expect(place(-0.0, 100) == #"{"user":"a","latitude":0,"longitude":100}"#)
    #expect(place(0.1, 1e21) == #"{"user":"a","latitude":0.1,"longitude":1e+21}"#)
    #expect(
      place(.leastNonzeroMagnitude, 1e-5) == #"{"user":"a","latitude":5e-324,"longitude":1e-05}"#)
    #expect(
      place(9_007_199_254_740_992, -1.5)
        == #"{"user":"a","latitude":9007199254740992,"longitude":-1.5}"#)
    let all = (0..<0x20).map { String(UnicodeScalar($0)!) }.joined() + "\"\\/\u{7f}\u{2028}é"
    #expect(
      data(.profile(.sendLogged(SendLogged(user: user, climb: all))))
        == #"{"user":"a","climb":"\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n\u000b\f\r"#
        + #"\u000e\u000f\u0010\u0011\u0012\u0013\u0014\u0015\u0016\u0017\u0018\u0019\u001a\u001b"#
        + #"\u001c\u001d\u001e\u001f\"\\/"# + "\u{7f}\u{2028}é" + #""}"#)
    #expect(
      data(.profile(.edited(ProfileEdited(user: user, bio: .clear, isPublic: true))))
        == #"{"user":"a","bio":null,"isPublic":true}"#)
  }

  @Test("The fast reader and the strict parser agree on a mutated line with a correct sum")
  func differential() async throws {
    var names = Names()
    var lines: [[UInt8]] = []
    for full in [true, false] {
      let log = InMemoryLog(SteppedClock().environment)
      for event in try Self.samples(&names, full: full) {
        try await log.append(Commit([NewEvent(event, actor: "alice", names: names)]))
      }
      try log.view().forEachLine { line in
        lines.append(line.bytes)
        return true
      }
    }
    var random = SplitMix64(seed: 2_026)
    var agreed = (read: 0, refused: 0)
    let rounds = Sweep.size(3_000, 20_000, 20_000)
    for round in 0..<rounds {
      var body = Array(lines[Int.random(in: 0..<lines.count, using: &random)].dropLast(sumLength))
      let seq = body.firstIndex(of: UInt8(ascii: ","))!
      body.replaceSubrange(0..<seq, with: Array(#"{"seq":1"#.utf8))
      for _ in 0..<Int.random(in: 0...2, using: &random) { Self.mutate(&body, &random) }
      if body.contains(0x0a) { continue }
      let sum = XXH64.hash(body, seed: 0)
      var sealed = ByteBuffer()
      sealed.append(body)
      sealed.append(",\"sum\":\"")
      sealed.appendHex(sum)
      sealed.append("\"}\n")
      let line = Array(sealed.array.dropLast())
      let fast = Self.fast(sealed)
      let strict = Self.strict(line)
      // Parses it as a line of a log, and as a foreign line without its first and last member.
      for text in [line, Array("{".utf8) + body.dropFirst(#"{"seq":1,"#.utf8.count) + [0x7d]] {
        #expect(
          Self.parsed(text, LineParser()) == Self.parsed(text, LineParser(takesShortcut: false)),
          "round \(round): \(String(decoding: text, as: UTF8.self))")
      }
      #expect(
        Self.agree(fast, strict, line), "round \(round): \(String(decoding: line, as: UTF8.self))")
      if case .success = strict { agreed.read += 1 } else { agreed.refused += 1 }
    }
    #expect(min(agreed.read, agreed.refused) > rounds / 7)
  }

  private static func mutate(_ body: inout [UInt8], _ random: inout SplitMix64) {
    let at = Int.random(in: 1..<body.count, using: &random)
    switch Int.random(in: 0..<5, using: &random) {
    case 0: body[at] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 1: body.remove(at: at)
    case 2: body.insert(Array("\"\\{}[],:0 a/.eE+-u".utf8).randomElement(using: &random)!, at: at)
    case 3: body[at] = UInt8.random(in: 0...255, using: &random)
    default:
      let end = min(body.count, at + Int.random(in: 1...12, using: &random))
      body.insert(contentsOf: Array(body[at..<end]), at: at)
    }
  }

  private static func fast(_ sealed: borrowing ByteBuffer) -> Result<String, LogError> {
    let view = LogView(path: "mutated", sealed: SealedBytes(sealed))
    var names = Names()
    var read: (Event, Moment)?
    do throws(LogError) {
      var consumer = ChunkConsumer(after: LogHead())
      for chunk in try view.chunks(after: 0, until: .max) {
        try consumer.consume(try view.scan(chunk, wanted: .all), &names) { batch in
          if let event = batch.events.last, let moment = batch.moments.last {
            read = (event, moment)
          }
        }
      }
      guard let (event, moment) = read, event.type != .app else { return .success("") }
      return .success("\(moment.seq) \(moment.time) " + Self.text(event, names))
    } catch {
      return .failure(error)
    }
  }

  /// The complete result of parsing a line, as text.
  private static func parsed(_ line: [UInt8], _ start: LineParser) -> Result<String, LineFault> {
    var parser = start
    var names = Names()
    do throws(LineFault) {
      let (parsed, event) = try parser.parse(line, names: &names)
      return .success("\(parsed) " + (event.map { text($0, names) } ?? ""))
    } catch {
      return .failure(error)
    }
  }

  private static func strict(_ line: [UInt8]) -> Result<String, LineFault> {
    var parser = LineParser(takesShortcut: false)
    var names = Names()
    do throws(LineFault) {
      let (parsed, event) = try parser.parse(line, names: &names)
      guard let recorded = RecordedEvent(parsed) else { throw parsed.missing }
      if event == nil, !UnknownType.isOfApp(recorded.type) {
        throw LineFault(.unknownType(""), path: "type")
      }
      guard recorded.seq == 1 else { throw LineFault(.wrongSequence(expected: 1), path: "seq") }
      guard let event else { return .success("") }  // an app's own event is skipped
      return .success("\(recorded.seq) \(recorded.time) " + text(event, names))
    } catch {
      return .failure(error)
    }
  }

  private static func text(_ event: borrowing Event, _ names: Names) -> String {
    "\(event.type) " + String(decoding: event.data(names), as: UTF8.self)
  }

  /// Whether both results agree. If a line's sum is right, the fast reader does not check stream,
  /// rev, actor, id, cause and batch; only then may it accept a line that the strict parser
  /// refuses.
  private static func agree(
    _ fast: Result<String, LogError>, _ strict: Result<String, LineFault>, _ line: [UInt8]
  ) -> Bool {
    switch (fast, strict) {
    case (.success(let a), .success(let b)): return a == b
    case (.failure, .failure): return true
    case (.failure, .success): return false
    case (.success, .failure(let fault)):
      guard let stream = line.firstRange(of: Array(",\"stream\":".utf8))?.lowerBound,
        let data = line.firstRange(of: Array(",\"data\":".utf8))?.lowerBound
      else { return false }
      return (stream..<data).contains(fault.offset)
    }
  }
}
