#if Server
  import FaultTesting
  import Foundation
  import Testing

  /// `Tests/Consumer/Sources/Phones`, an example of two phones and a server.
  @Suite struct PhonesTests {
    private static let story = """
      ann and ben have synced
      ann finds ben_x
      ann's phone: requestSent
      ann is off line
      ben's phone: requestReceived
      ben is off line
      ben's phone: friends (pending)
      ben is on line
      ben: AcceptFriendRequest applied
      ben: 1 dismissed, 0 kept
      ben's phone: friends
      ann is on line
      ann's phone: friends
      ben is off line
      ben posts two workouts: 2 pending
      ben is on line
      ben: ShareWorkout applied
      ben: ShareWorkout applied
      ben: 2 dismissed, 0 kept
      ann reads: A new project
      ann reads: Ten boulders
      ann is off line
      ann's phone: ann_x: Strong! (pending)
      ann's phone: chups: 1 (pending)
      ann follows ben on another device
      ben: RemoveFriend applied
      ben: 1 dismissed, 0 kept
      ann is on line
      ann: PostComment refused
        notVisible: the caller may not see this, or write to this user
      ann: GiveChup applied
      ann: FollowUser alreadyTrue
      ann: UpdateProfile appliedDifferently
      ann: 4 dismissed, 0 kept
      ann's phone: the comments are gone: notVisible
      ann's phone: chups: 1
      ann is off line
      ann's phone: requestSent (pending)
      ben: SendFriendRequest applied
      ben: 1 dismissed, 0 kept
      ann is on line
      ann: SendFriendRequest refused
        alreadyReceived: they have asked already: accept their request instead
        advice: accept the other's request: AcceptFriendRequest sender=ben
      ann: 1 dismissed, 0 kept
      ann's phone: requestReceived
      ann: AcceptFriendRequest applied
      ann: 1 dismissed, 0 kept
      ann's phone: friends
      ann's widget: chups: 1
      ann is off line
      ann's widget: chups: 0 (pending)
      ann's widget cannot write: logFailed
      ann is on line
      ann: WithdrawChup applied
      ann: 1 dismissed, 0 kept
      ann's widget: chups: 0

      """

    @Test("Two phones and a server tell the example's story, line by line")
    func phones() throws {
      let server = try ServerProcess()
      defer { server.remove() }
      for user in ["ann", "ben"] {
        try Data(Token.of(user).utf8).write(to: server.folder.appending(path: "\(user).token"))
      }
      let process = Process()
      let output = Pipe()
      process.executableURL = products.appending(path: "phones-story")
      process.arguments = [
        "http://127.0.0.1:\(server.port)", "ann", "ann.token", "ben", "ben.token", "phones",
      ]
      process.currentDirectoryURL = server.folder
      process.standardOutput = output
      process.standardError = output
      try process.run()
      let said = String(
        decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
      #expect(said == Self.story)
      // The refused commands appended nothing, and each other command appended its event once.
      func count(_ type: String) -> Int {
        server.lines.count { $0.contains(#""type":"\#(type)""#) }
      }
      #expect(count("CommentPosted") == 0)
      #expect(count("WorkoutShared") == 2 && count("UserFollowed") == 1)
      #expect(count("ChupGiven") == 1 && count("ChupWithdrawn") == 1)
      #expect(count("FriendRequested") == 2 && count("FriendRequestAccepted") == 2)
      #expect(try ServerProcess.eventlog(["verify", "--log", server.log]) == 0)
    }
  }
#endif
