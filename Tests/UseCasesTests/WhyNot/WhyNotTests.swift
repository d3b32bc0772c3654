import Aggregates
import Events
import FaultTesting
import Foundation
import PropertyTesting
import Synchronization
import Testing
import UseCases
import UseCasesTesting

/// The refused commands that the tests of `WhyNotTests` explained, by use case and code.
private let tally = Mutex<[String: Int]>([:])

@Suite(.serialized) struct WhyNotTests {
  private static let photos = PhotoPorts(storage: NoPhotos(), encoder: PassThroughEncoder())

  /// A history with its events, from which events can be left out.
  private struct Told {
    let log: InMemoryLog
    let environment: RuntimeEnvironment
    var events: [KnownEvent] = []
    var names = Names()

    init(_ history: GeneratedHistory) async throws {
      var environment = RuntimeEnvironment.system
      let end = history.entries.last?.time ?? .epoch
      environment.now = { end }
      self.environment = environment
      log = try await history.log(environment)
      let count = await log.head()
      try log.history().forEachEvent(at: 1..<count + 1, &names) { events.append($0) }
    }

    /// Returns the log without some events, and without those that cannot happen then.
    func log(without skipped: Set<UInt64>) async throws -> InMemoryLog {
      let left = InMemoryLog(environment)
      var (whole, audit) = (Audit(), Audit())
      var gone: Set<EventID> = []
      let causes = Set(events.compactMap(\.cause))
      for known in events {
        let actor = names.actor(known.actor)
        func isAllowed(_ audit: Audit) -> Bool {
          // Other events of a block's commit still end what connects the users.
          if case .block = known.event, causes.contains(known.id) { return true }
          return (try? audit.decide(known.event, actor: actor, at: known.moment.time)) != nil
        }
        let wasAllowed = isAllowed(whole)
        _ = whole.apply(known.event, actor: actor, at: known.moment)
        if skipped.contains(known.moment.seq) || known.cause.map(gone.contains) == true
          || wasAllowed && !isAllowed(audit)
        {
          gone.insert(known.id)
          continue
        }
        _ = audit.apply(known.event, actor: actor, at: known.moment)
        let event = NewEvent(
          known.event, actor: names[known.actor], id: known.id, time: known.moment.time,
          names: names)
        for result in await left.append([Commit([event])]) { _ = try result.get() }
      }
      return left
    }

    func reply(to request: Request, without skipped: Set<UInt64> = []) async throws -> Reply {
      let core = try await Core(try await log(without: skipped), environment: environment)
      return await core.perform([request], photos: photos)[0]
    }
  }

  /// Checks the explanations of random commands after a random history.
  private func checkSets(_ history: GeneratedHistory, _ t: Trial, commands: Int) async throws {
    let told = try await Told(history)
    let whyNot = try await WhyNot(
      TimeTravel(told.log.history()), rules: .climb, environment: told.environment)
    for _ in 0..<commands {
      let request = t.draw(.request(isCommand: true))
      guard let entry = Registry.find(request.name), !entry.about.name.hasSuffix("Photo") else {
        continue
      }
      let reply = try await told.reply(to: request)
      let why: Explanation
      do throws(UseCaseError) {
        why = try await whyNot.explain(request)
      } catch {
        // The input cannot be read.
        #expect(reply.result == .failure(error))
        continue
      }
      guard case .failure(let error) = reply.result else {
        #expect(why.isAccepted, "\(request.json.text): \(why.json.text)")
        #expect(why.wouldAppend.count == reply.seqs.count, "\(request.json.text)")
        continue
      }
      t.label("refused")
      tally.withLock { $0["\(request.name) \(error.code)", default: 0] += 1 }
      #expect(why.error == error, "\(request.json.text): \(why.json.text)")
      for set in why.sets {
        t.label("\(set.events.count) events")
        let seqs = set.events.map(\.seq)
        let without = try await told.reply(to: request, without: Set(seqs))
        #expect(without.isSuccess, "\(request.json.text) without \(seqs): \(without.json.text)")
        for kept in seqs {
          let part = try await told.reply(to: request, without: Set(seqs).subtracting([kept]))
          #expect(!part.isSuccess, "\(request.json.text) without \(seqs), with \(kept)")
        }
      }
      if !why.sets.isEmpty { t.label("explained") }
    }
  }

  @Test("Without the named events a refused command is accepted, and with one of them it is not")
  func sets() async throws {
    try await check(
      runs: Sweep.size(20, 60, 5_000), covering: ["refused": 0.5, "explained": 0.2]
    ) { t in
      try await checkSets(t.draw(.history(max: 60), "history"), t, commands: 12)
    }
  }

  @Test("The same holds for histories that the rules would have refused")
  func hostileSets() async throws {
    try await check(runs: Sweep.size(8, 60, 5_000), covering: ["refused": 0.5]) { t in
      try await checkSets(t.draw(.hostileHistory(max: 60), "history"), t, commands: 12)
    }
    guard Sweep.size(0, 0, 1) == 1 else { return }
    let found = tally.withLock { $0 }
    print("\(found.values.reduce(0, +)) refused commands were explained. Pairs that did not occur:")
    for entry in Registry.all where entry.writes {
      let missing = entry.about.errors.filter { found["\(entry.about.name) \($0)"] == nil }
      if !missing.isEmpty { print("  \(entry.about.name): \(missing.joined(separator: ", "))") }
    }
  }
}

extension WhyNotTests {
  @Test("In a short history, no smaller set of events makes a refused command acceptable")
  func smallest() async throws {
    try await check(
      runs: Sweep.size(4, 30, 3_000), covering: ["explained": 0.2]
    ) { t in
      let told = try await Told(t.draw(.history(max: 24), "history"))
      let whyNot = try await WhyNot(TimeTravel(told.log.history()), environment: told.environment)
      // What another event caused cannot be left out by itself.
      let alone = told.events.filter { $0.cause == nil }.map(\.moment.seq)
      for _ in 0..<12 {
        let request = t.draw(.request(isCommand: true))
        guard let why = try? await whyNot.explain(request), case .refused? = why.error
        else { continue }
        // If no set was found, no two events may be one.
        let size = why.sets.first?.events.count ?? (t.draw(.int(0...3)) == 0 ? 3 : 1)
        t.label("explained", if: !why.sets.isEmpty)
        t.label("several", if: size > 1 && !why.sets.isEmpty)
        #expect(why.sets.isEmpty || why.isSmallest)
        for skipped in subsets(of: alone, upTo: size - 1) {
          let reply = try await told.reply(to: request, without: Set(skipped))
          #expect(!reply.isSuccess, "\(request.json.text) without \(skipped): \(why.json.text)")
        }
      }
    }
  }

  /// Returns all sets of 1 to `size` elements.
  private func subsets(of elements: [UInt64], upTo size: Int) -> [[UInt64]] {
    var (all, last): ([[UInt64]], [[UInt64]]) = ([], [[]])
    for _ in 0..<max(size, 0) {
      last = last.flatMap { set in
        elements.filter { $0 > set.last ?? 0 }.map { set + [$0] }
      }
      all += last
    }
    return all
  }

  @Test("A core explains a refusal with its facts, the events, and what the caller could do")
  func explains() async throws {
    let core = try await Core(InMemoryLog(), rules: .climb)
    for user in ["ann", "bob"] {
      _ = try await CreateProfile(core).execute(
        .init(user: user, handle: user + "_x"), as: Caller(user))
    }
    _ = try await SendFriendRequest(core).execute(.init(receiver: "ann"), as: "bob")
    let why = try await core.explain(SendFriendRequest.self, .init(receiver: "bob"), as: "ann")
    #expect(why.code == "alreadyReceived" && !why.isAccepted)
    let fact = try #require(why.facts.first { $0.path == "relationship/ann/bob" })
    #expect(fact.value == .string("requestReceived") && fact.event?.seq == 3 && fact.isDecisive)
    #expect(why.facts.filter(\.isDecisive).count == 1)
    #expect(why.sets.map { $0.events.map(\.seq) } == [[3]] && why.isSmallest)
    #expect(why.advice == ["accept the other's request: AcceptFriendRequest sender=bob"])
    _ = try await BlockUser(core).execute(.init(user: "bob"), as: "ann")
    let blocked = try await core.explain(
      SendFriendRequest.self, .init(receiver: "bob"), as: "ann")
    #expect(blocked.code == "profileNotFound")
    // The block ended the request, so both go together.
    #expect(blocked.sets.map { $0.events.map(\.seq) } == [[3, 4]])
    #expect(blocked.sets.first?.dependents.map(\.seq) == [5])
    #expect(blocked.advice == ["unblock the user: UnblockUser user=bob"])
    let fine = try await core.explain(UnblockUser.self, .init(user: "bob"), as: "ann")
    #expect(fine.isAccepted && fine.wouldAppend.count == 1 && fine.sets.isEmpty)
    // What another event caused is not left out by itself.
    _ = try await ShareWorkout(core).execute(
      .init(workout: "w", date: .now, text: "up"), as: "ann")
    _ = try await ReportContent(core).execute(
      .init(report: "r", kind: .workout, id: "w", reason: "spam"), as: "ann")
    _ = try await CloseReport(core).execute(
      .init(report: "r", outcome: .removed), as: .service("mods"))
    let gone = try await core.explain(GiveChup.self, .init(workout: "w"), as: "ann")
    #expect(gone.code == "workoutNotFound")
    #expect(gone.sets.first?.events.map(\.type) == [.reportClosed])
    #expect(gone.sets.first?.dependents.map(\.type) == [.workoutRemoved])
    // The second workout's id is read only if the account is open.
    let other = try await Core(InMemoryLog(), rules: .climb)
    _ = try await CreateProfile(other).execute(.init(user: "cat", handle: "cat_x"), as: "cat")
    _ = try await ShareWorkout(other).execute(
      .init(workout: "w1", localID: "a", date: .now, text: "one"), as: "cat")
    _ = try await DeleteAccount(other).execute(NoInput(), as: "cat")
    let two = try await other.explain(
      ShareWorkouts.self,
      .init(workouts: [
        .init(date: .now, text: "two"), .init(workout: "w1", date: .now, text: "three"),
      ]), as: "cat")
    #expect(two.code == "profileNotFound" && two.sets.map(\.events.count) == [2])
    let long = try await core.explain(
      UpdateProfile.self, .init(bio: .set(String(repeating: "x", count: 900))), as: "ann")
    #expect(long.code == "bioTooLong" && long.sets.isEmpty)
    #expect(long.advice.first?.contains("it has 900") == true)
  }
}

extension Reply {
  fileprivate var isSuccess: Bool { if case .success = result { true } else { false } }
}

extension Request {
  fileprivate var json: JSONValue {
    .object([
      .init("do", .string(name)), .init("as", user.map { .string($0) } ?? .null),
      .init("with", input),
    ])
  }
}
