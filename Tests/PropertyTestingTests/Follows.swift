import PropertyTesting
import Testing
import UseCases

/// Three people who follow each other; the model is the set of edges.
struct Follows: Machine {
  enum Command: Sendable {
    case toggle(_ user: String, at: String)
    case count(of: String)
  }

  static let people = ["ann", "ben", "cat"]
  static let person = Generator<String>.element(of: people)

  let model: Set<[String]> = []
  let rules: [Rule<Follows>] = [
    Rule("toggle") { t, _ in .toggle(t.draw(person), at: t.draw(person)) },
    Rule("count", if: \.hasEdges) { t, _ in .count(of: t.draw(person)) },
  ]

  func system(on interleaver: Interleaver?) async throws -> Core {
    var environment = RuntimeEnvironment.system
    if let interleaver { environment.start = interleaver.start }
    let core = try await Core(InMemoryLog(environment), environment: environment)
    for name in Self.people {
      _ = try await CreateProfile(core).execute(.init(user: name, handle: name), as: Caller(name))
    }
    return core
  }

  func perform(_ command: Command, on core: Core) async -> String {
    do throws(UseCaseError) {
      switch command {
      case .toggle(let user, let other):
        return "\(try await ToggleFollow(core).execute(.init(followee: other), as: Caller(user)))"
      case .count(let user):
        return "\(try await GetFollowCounts(core).execute(.init(user: user), as: nil).followers)"
      }
    } catch {
      return error.code
    }
  }

  func respond(to command: Command, _ edges: inout Set<[String]>, seeing response: String)
    -> String
  {
    switch command {
    case .toggle(let user, let other):
      if user == other { return "cannotFollowSelf" }
      if edges.remove([user, other]) != nil { return "false" }
      edges.insert([user, other])
      return "true"
    case .count(let user): return "\(edges.count { $0[1] == user })"
    }
  }
}

extension Set<[String]> {
  var hasEdges: Bool { !isEmpty }
}

@Suite struct FollowsTests {
  @Test func follows() async throws {
    try await check(covering: ["toggle": 0.6, "count": 0.4]) { t in try await t.run(Follows()) }
  }

  @Test func racingFollows() async throws {
    try await check { t in try await t.race(Follows()) }
  }
}
