import Aggregates
import Events
import FaultTesting
import PropertyTesting
import Testing
import UseCases
import UseCasesTesting

/// Hidden, blocked and missing items give the same answer.
///
/// A history is compared with a copy in which an item that a viewer cannot see was never shared.
/// All other events keep their positions.
@Suite struct AbsentTests {
  private static let photos = PhotoPorts(storage: NoPhotos(), encoder: PassThroughEncoder())

  @Test("Each query answers as if the items that the viewer cannot see did not exist")
  func queries() async throws {
    let covering = ["hidden": 0.2, "not visible": 0.1]
    try await check(runs: Sweep.size(12, 75, 2_000), covering: covering) { t in
      let rules = t.draw(.element(of: Rules.presets))
      let history = t.draw(.history(max: 70, users: 5, rules: rules), "history")
      let (users, items) = (Self.users(of: history), Self.items(of: history))
      let viewer = t.draw(.element(of: users + [nil]), "viewer")
      let denial = try await Denial(history, to: viewer, rules)
      let unseen = items.filter { $0.owner != viewer && !denial.knows(item: $0.name) }
      guard !unseen.isEmpty else { return }
      let item = t.draw(.element(of: unseen.map(\.name)), "item")
      let owner = unseen.first { $0.name == item }?.owner ?? ""
      // If the viewer sees the owner, the viewer may know that the item exists.
      let mayBeKnown = denial.shared(item) != nil && denial.visibility(owner) != .hidden
      t.label(mayBeKnown ? "not visible" : "hidden")
      let (log, other) = (
        try await history.log(), try await Self.twin(of: history, without: item).log()
      )
      let (core, twin) = (try await Core(log, rules: rules), try await Core(other, rules: rules))
      let past = try await Past(
        of: log.view(), until: UInt64(history.count), rules: rules, worth: .always)
      for var request in DeniedTests().requests(history, users, viewer) {
        if mayBeKnown, request.input["workout"] == .string(item) { continue }
        request.time = history.entries.last?.time
        let said = await core.perform([request], photos: Self.photos)[0].json.text
        let twins = await twin.perform([request], photos: Self.photos)[0].json.text
        #expect(said == twins, "\(request), \(rules.name)")
        #expect(await past.perform(request).json.text == said, "\(request), \(rules.name)")
      }
    }
  }

  @Test("Each use case gives the same answer for a hidden id as for an id never used")
  func never() async throws {
    let covering = ["hidden": 0.2, "blocked": 0.1, "comment": 0.1, "removed": 0.1]
    try await check(runs: Sweep.size(20, 120, 3_000), covering: covering) { t in
      let rules = t.draw(.element(of: Rules.presets))
      let history = t.draw(.history(max: 80, users: 5, rules: rules), "history")
      let core = try await Core(try await history.log(), rules: rules)
      let position = core.position
      for viewer in Self.users(of: history) + [nil] {
        let denial = try await Denial(history, to: viewer, rules)
        var names = Self.items(of: history).filter { item in
          item.owner != viewer && denial.visibility(item.owner) == .hidden
        }
        for item in Self.items(of: history)
        where denial.shared(item.name) == nil && item.owner != viewer {
          names.append(item)
          t.label("removed")
        }
        for (name, owner) in names where !Self.isTouched(name, by: viewer, history) {
          t.label("hidden", if: denial.shared(name) != nil)
          t.label("blocked", if: denial.isBlocked(owner))
          for (use, input) in Self.ofItems {
            try await compare(core, use, input, name, viewer)
          }
        }
        for (comment, item, author) in Self.comments(of: history)
        where author != viewer && !Self.isTouched(item, by: viewer, history) {
          let owner = Self.items(of: history).first { $0.name == item }?.owner
          if owner == viewer { continue }
          let isGone = denial.shared(item) == nil || denial.visibility(owner ?? "") == .hidden
          guard isGone || denial.isBlocked(author) else { continue }
          t.label("comment")
          for (use, input) in Self.ofComments {
            try await compare(core, use, input, comment, viewer)
          }
        }
      }
      #expect(core.position == position, "something was appended")
    }
  }

  /// Compares the answers for an id and for one that was never used.
  private func compare(
    _ core: Core, _ name: String, _ input: String, _ id: String, _ viewer: String?
  ) async throws {
    func ask(_ id: String) async throws -> String {
      let with = try JSONValue(input.replacing("?", with: id))
      let request = Request(name, as: viewer, with: with)
      return await core.perform([request], photos: Self.photos)[0].json.text
    }
    let (said, never) = (try await ask(id), try await ask("never"))
    #expect(said == never, "\(name) \(input) of \(id) as \(viewer ?? "nobody")")
  }

  /// Use cases that name an item; `?` stands for the id.
  private static let ofItems = [
    ("GetWorkout", #"{"workout":"?"}"#), ("GetWorkoutDetail", #"{"workout":"?"}"#),
    ("GetChups", #"{"workout":"?"}"#), ("GetReactions", #"{"workout":"?"}"#),
    ("GetComments", #"{"workout":"?"}"#), ("ToggleChup", #"{"workout":"?"}"#),
    ("GiveChup", #"{"workout":"?"}"#), ("GiveBigChup", #"{"workout":"?"}"#),
    ("WithdrawChup", #"{"workout":"?"}"#), ("RemoveWorkout", #"{"workout":"?"}"#),
    ("EditWorkout", #"{"workout":"?","text":"x"}"#),
    ("EditWorkout", #"{"workout":"?","totalDistance":-1}"#),
    ("AttachWorkoutDetail", #"{"workout":"?","intervals":[]}"#),
    ("AttachWorkoutDetail", #"{"workout":"?","intervals":[],"ocrConfidence":2}"#),
    ("GiveReaction", #"{"workout":"?","kind":"fire"}"#),
    ("WithdrawReaction", #"{"workout":"?","kind":"fire"}"#),
    ("PostComment", #"{"workout":"?","text":"x"}"#),
    ("PostComment", #"{"workout":"?","text":""}"#),
    ("ReportContent", #"{"kind":"workout","id":"?","reason":"x"}"#),
  ]
  private static let ofComments = [
    ("EditComment", #"{"comment":"?","text":"x"}"#), ("EditComment", #"{"comment":"?","text":""}"#),
    ("RemoveComment", #"{"comment":"?"}"#), ("HeartComment", #"{"comment":"?"}"#),
    ("UnheartComment", #"{"comment":"?"}"#), ("ToggleCommentHeart", #"{"comment":"?"}"#),
    ("ReportContent", #"{"kind":"comment","id":"?","reason":"x"}"#),
  ]

  /// The history with each event about an item replaced by an event that changes nothing.
  private static func twin(
    of history: GeneratedHistory, without item: String
  ) throws -> GeneratedHistory {
    var twin = history
    let ghosts = Follow(
      follower: try twin.names.user("ghost1"), followee: try twin.names.user("ghost2"))
    let comments = Set(comments(of: history).filter { $0.item == item }.map(\.comment))
    for index in twin.entries.indices {
      let event = twin.entries[index].event
      if isAbout(event, item, comments, history.names) {
        twin.entries[index].event = .follow(.unfollowed(ghosts))
      }
    }
    return twin
  }

  private static func isAbout(
    _ event: Event, _ item: String, _ comments: Set<String>, _ names: Names
  ) -> Bool {
    if case .report = event { return false }
    return event.ids.contains { id in
      switch id.kind {
      case .workout: names[WorkoutID(index: id.index)] == item
      case .comment: comments.contains(names[CommentID(index: id.index)])
      default: false
      }
    }
  }

  /// Whether a user has ever acted on an item, and so may see data of their own there.
  private static func isTouched(
    _ item: String, by user: String?, _ history: GeneratedHistory
  ) -> Bool {
    let comments = Set(comments(of: history).filter { $0.item == item }.map(\.comment))
    return history.entries.contains { entry in
      isAbout(entry.event, item, comments, history.names)
        && history.names[entry.actor] == user
    }
  }

  private static func users(of history: GeneratedHistory) -> [String] {
    (0..<UInt32(history.names.userCount)).map { history.names[UserID(index: $0)] }
  }

  /// All items ever shared, with their owners.
  private static func items(
    of history: GeneratedHistory
  ) -> [(name: String, owner: String)] {
    history.entries.compactMap { entry in
      guard case .workout(.shared(let data)) = entry.event else { return nil }
      return (history.names[data.workout], history.names[data.owner])
    }
  }

  private static func comments(
    of history: GeneratedHistory
  ) -> [(comment: String, item: String, author: String)] {
    history.entries.compactMap { entry in
      guard case .comment(.posted(let data)) = entry.event else { return nil }
      let names = history.names
      return (names[data.comment], names[data.workout], names[data.user])
    }
  }
}
