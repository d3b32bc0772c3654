import Foundation
import Testing
import UseCasesTesting

// What the snippets of doc comments find at hand; compiled with them by SnippetTests.
@testable import Aggregates
@testable import EventLog
@testable import Events
@testable import PersonalLogs
@testable import Projections
@testable import PropertyTesting
@testable import Replaying
@testable import Tables
@testable import UseCases

/// Three people, a run of alice's with two comments, all of it in a core; and the demo log.
struct Fixture {
  var names = Names()
  let alice: UserID
  let bob: UserID
  let carol: UserID
  let run: WorkoutID
  let hello: CommentID
  let reply: CommentID
  let crew: GroupID
  let hi: MessageID
  let spam: ReportID
  let moment = Moment(seq: 1, time: Timestamp("2026-01-19T09:00:00.000Z")!)

  let log: InMemoryLog
  let core: Core
  var followers = FollowCounts()
  var views = Views()
  var chups = Chups()
  var reactions = Reactions()
  var comments = Comments()
  var workouts = Workouts()
  var search = Search()
  var leaderboard = Leaderboard()
  var notifications = Notifications()
  var groups = Groups()
  var conversations = Conversations()
  var reports = Reports()
  var index = EventIndex()

  let view: LogView
  let travel: TimeTravel<LogView>
  let event: NewEvent
  let selfFollow: Event
  let bytes: [UInt8]
  let photos = PhotoPorts(storage: NoPhotos(), encoder: PassThroughEncoder())
  let sender = NoPhone()
  let jpeg: [UInt8] = [0xff, 0xd8, 0xff]
  let toggle: any UseCase<ToggleFollow.Input, Bool>
  let input = ToggleFollow.Input(followee: "bob")
  let session = (user: "alice", token: "")
  let path = try! StatePath("followers/alice.count")
  let t = Trial()
  var label = ""

  init() async throws {
    log = InMemoryLog()
    core = try await Core(log)
    toggle = ToggleFollow(core)
    for request in Self.requests.split(separator: "\n") {
      let reply = await core.perform(
        [try Request(line: Array(request.utf8))], photos: photos)[0]
      _ = try reply.result.get()
    }
    alice = try names.user("alice")
    bob = try names.user("bob")
    carol = try names.user("carol")
    run = try names.workout("run")
    hello = try names.comment("hello")
    reply = try names.comment("reply")
    crew = try names.group("crew")
    hi = try names.message("hi")
    spam = try names.report("spam")
    for (user, kind): (UserID, ReactionKind) in [(bob, .fire), (carol, .fire), (carol, .clap)] {
      let reaction = Reaction(workout: run, user: user, kind: kind)
      reactions.apply(.reaction(.given(reaction)), at: moment)
    }
    let message = MessageSent(message: hi, sender: bob, receiver: alice, text: "Hi")
    conversations.apply(.conversation(.sent(message)), at: moment)
    var parser = LineParser()
    for recorded in await log.read(after: 0, limit: .max) {
      guard let event = try parser.parse(recorded.line(after: 0), names: &names).event else {
        continue
      }
      let moment = Moment(seq: recorded.seq, time: recorded.time)
      followers.apply(event, at: moment)
      views.apply(event, at: moment)
      chups.apply(event, at: moment)
      reactions.apply(event, at: moment)
      comments.apply(event, at: moment)
      workouts.apply(event, at: moment)
      search.apply(event, at: moment)
      leaderboard.apply(event, at: moment)
      notifications.apply(event, at: moment)
      groups.apply(event, at: moment)
      conversations.apply(event, at: moment)
      reports.apply(event, at: moment)
      index.apply(event, at: moment)
    }
    search.settle()
    selfFollow = .follow(.followed(Follow(follower: alice, followee: alice)))
    event = NewEvent(selfFollow, actor: "alice", names: names)
    view = try LogView(path: "eventlogs/demo")
    bytes = try view.line(at: 1)!.bytes
    travel = TimeTravel(view)
  }

  private static let requests = """
    {"do":"CreateProfile","as":"alice","with":{"user":"alice","handle":"alice"}}
    {"do":"CreateProfile","as":"bob","with":{"user":"bob","handle":"bjorn"}}
    {"do":"CreateProfile","as":"carol","with":{"user":"carol","handle":"carol"}}
    {"do":"SendFriendRequest","as":"alice","with":{"receiver":"bob"}}
    {"do":"AcceptFriendRequest","as":"bob","with":{"sender":"alice"}}
    {"do":"SendFriendRequest","as":"alice","with":{"receiver":"carol"}}
    {"do":"AcceptFriendRequest","as":"carol","with":{"sender":"alice"}}
    {"do":"ShareWorkout","as":"alice","with":{"workout":"run","localID":"1",\
    "date":"2026-01-19T08:00:00Z",\
    "workoutType":"5k","totalTime":"25:00.0","totalDistance":5000,"averageSplit":"02:30.0"}}
    {"do":"ToggleChup","as":"bob","with":{"workout":"run"}}
    {"do":"GiveBigChup","as":"carol","with":{"workout":"run"}}
    {"do":"PostComment","as":"bob","with":{"comment":"hello","workout":"run","text":"Well run"}}
    {"do":"PostComment","as":"alice","with":{"comment":"reply","workout":"run","text":"Thank you",\
    "replyTo":"hello"}}
    {"do":"ToggleCommentHeart","as":"alice","with":{"comment":"hello"}}
    {"do":"CreateGroup","as":"alice","with":{"group":"crew","name":"Tuesday crew"}}
    {"do":"JoinGroup","as":"bob","with":{"group":"crew"}}
    {"do":"ReportContent","as":"bob","with":{"report":"spam","kind":"comment","id":"reply",\
    "reason":"spam"}}
    """
}

func expect<T: Equatable>(_ found: T, _ said: T, _ location: SourceLocation = #_sourceLocation) {
  #expect(found == said, sourceLocation: location)
}

/// Runs a snippet in a folder of its own, with a copy of the demo in it.
func run(_ name: String, _ snippet: (Fixture) async throws -> Void) async throws {
  let files = FileManager.default
  let home = files.currentDirectoryPath
  let folder = "run-\(UUID().uuidString)"
  try files.createDirectory(atPath: folder + "/eventlogs", withIntermediateDirectories: true)
  try files.copyItem(atPath: "eventlogs/demo", toPath: folder + "/eventlogs/demo")
  _ = files.changeCurrentDirectoryPath(folder)
  do {
    try await snippet(Fixture())
  } catch is Trial.Discard {  // what was drawn is passed over
  } catch {
    Issue.record("\(name): \(error)")
  }
  _ = files.changeCurrentDirectoryPath(home)
}

/// Sends nothing.
struct NoPhone: PushSender {
  func send(_ push: Push) async throws(PushError) {}
}

/// The screen whose button the double is tested with.
struct FollowButton {
  let toggle: any UseCase<ToggleFollow.Input, Bool>
  func tap(_ user: String, as caller: Caller) async {
    _ = try? await toggle.execute(.init(followee: user), as: caller)
  }
}

func stillFails(_ part: HistoryShrinker.Part) -> Bool { part.commits.count > 3 }
