import EventLog
import Events

/// The events of a follow graph with ids as text, in any order, plausible or not.
enum Step: Equatable {
  case follow(String, String)
  case unfollow(String, String)
  case delete(String)

  static func random(_ random: inout SplitMix64, users: Int) -> Step {
    func user() -> String { "u\(Int.random(in: 0..<users, using: &random))" }
    return switch Int.random(in: 0..<20, using: &random) {
    case 0..<13: .follow(user(), user())
    case 13..<19: .unfollow(user(), user())
    default: .delete(user())
    }
  }

  func event(_ names: inout Names) throws -> (event: Event, actor: String) {
    switch self {
    case .follow(let a, let b):
      (.follow(.followed(Follow(follower: try names.user(a), followee: try names.user(b)))), a)
    case .unfollow(let a, let b):
      (.follow(.unfollowed(Follow(follower: try names.user(a), followee: try names.user(b)))), a)
    case .delete(let a): (.accountDeleted(UserReference(user: try names.user(a))), a)
    }
  }
}

/// The same answers by searching everything: simple arrays and loops.
struct NaiveFollowers {
  var edges: [(follower: String, followee: String)] = []
  var deleted: [String] = []

  mutating func apply(_ step: Step) {
    switch step {
    case .follow(let a, let b):
      if deleted.contains(a) || deleted.contains(b) { return }
      if !edges.contains(where: { $0 == (a, b) }) { edges.append((a, b)) }
    case .unfollow(let a, let b): edges.removeAll { $0 == (a, b) }
    case .delete(let user):
      deleted.append(user)
      edges.removeAll { $0.follower == user || $0.followee == user }
    }
  }

  func followers(of user: String) -> [String] {
    edges.filter { $0.followee == user }.map(\.follower).reversed()
  }

  func following(of user: String) -> [String] {
    edges.filter { $0.follower == user }.map(\.followee).reversed()
  }
}

/// A log in memory with these steps, a second apart.
func log(of steps: [Step]) async throws -> InMemoryLog {
  let log = InMemoryLog()
  var names = Names()
  for (index, step) in steps.enumerated() {
    let (event, actor) = try step.event(&names)
    let time = Timestamp(milliseconds: 1_767_225_600_000 + Int64(index) * 1_000)
    try await log.append(Commit([NewEvent(event, actor: actor, time: time, names: names)]))
  }
  return log
}
