import Aggregates
import Events
import Testing

@Suite struct CommentTests {
  private func comment(_ text: String) -> CommentPosted {
    CommentPosted(comment: c1, workout: w1, user: bob, text: text)
  }
  private func posted(_ text: String) -> Event { .comment(.posted(comment(text))) }
  private let removed = Event.comment(.removed(CommentReference(comment: c1)))

  @Test("A comment is trimmed, not empty and at most 1,000 characters")
  func text() {
    let given = Given(CommentDecider.self)
    given.when(.post(comment("  hi\n"), .visible, replyExists: true), by: bob).then(posted("hi"))
    given.when(.post(comment(" \n\t"), .visible, replyExists: true), by: bob)
      .thenRefused(.commentEmpty)
    let long = String(repeating: "👨‍👩‍👧‍👦", count: 1_000)
    given.when(.post(comment(long), .visible, replyExists: true), by: bob).then(posted(long))
    given.when(.post(comment(long + "x"), .visible, replyExists: true), by: bob)
      .thenRefused(.commentTooLong(limit: 1_000, actual: 1_001))
    // One Character with so many accents is as long as 1,001.
    let accents = "a" + String(repeating: "\u{301}", count: 15_999)
    given.when(.post(comment(accents), .visible, replyExists: true), by: bob).then(posted(accents))
    given.when(.post(comment(accents + "\u{301}"), .visible, replyExists: true), by: bob)
      .thenRefused(.commentTooLong(limit: 1_000, actual: 1_001))
  }

  @Test("Only a user who sees the workout can comment, and a reply needs its comment")
  func facts() {
    let given = Given(CommentDecider.self)
    given.when(.post(comment("x"), .nothing, replyExists: true), by: bob)
      .thenRefused(.workoutNotFound)
    given.when(.post(comment("x"), .hidden, replyExists: true), by: bob).thenRefused(.notVisible)
    given.when(.post(comment("x"), .visible, replyExists: false), by: bob)
      .thenRefused(.commentNotFound)
  }

  @Test("The author edits a comment, and the author or the workout's owner removes it, once")
  func authority() {
    let given = Given(CommentDecider.self, posted("a"))
    given.when(.edit(c1, text: "b", .visible), by: bob)
      .then(.comment(.edited(CommentEdited(comment: c1, text: "b"))))
    given.when(.edit(c1, text: " a ", .visible), by: bob).thenNothing()
    given.when(.edit(c1, text: "b", .visible), by: alice).thenRefused(.notAuthorized)
    given.when(.remove(c1, .visible, stands: true, mayRemove: true), by: alice).then(removed)
    given.when(.remove(c1, .visible, stands: true, mayRemove: false), by: bob).then(removed)
    given.when(.remove(c1, .visible, stands: true, mayRemove: false), by: carol).thenRefused(
      .notAuthorized)
    Given(CommentDecider.self, posted("a"), removed)
      .when(.remove(c1, .visible, stands: true, mayRemove: false), by: bob).thenRefused(
        .commentNotFound)
  }

  @Test("A former friend can remove their comment but not edit it")
  func formerFriend() {
    let given = Given(CommentDecider.self, posted("a"))
    given.when(.edit(c1, text: "b", .hidden), by: bob).thenRefused(.notVisible)
    given.when(.remove(c1, .hidden, stands: true, mayRemove: false), by: bob).then(removed)
  }

  @Test("An invisible comment is missing or not visible for others, before any other refusal")
  func unseen() {
    for (visibility, error) in [
      (Visibility.nothing, DomainError.commentNotFound), (.hidden, .notVisible),
    ] {
      let given = Given(CommentDecider.self, posted("a"))
      for user in [bob, carol] {
        given.when(.edit(c1, text: "", visibility), by: user).thenRefused(error)
      }
      given.when(.remove(c1, visibility, stands: true, mayRemove: false), by: carol).thenRefused(
        error)
      given.when(.remove(c1, visibility, stands: true, mayRemove: false), by: bob).then(removed)
    }
  }

  @Test("A comment is removed with its workout, and only users with a profile can change it")
  func gone() {
    let given = Given(CommentDecider.self, posted("a"))
    for (visibility, error) in [
      (Visibility.nothing, DomainError.commentNotFound), (.noProfile, .profileNotFound),
    ] {
      given.when(.edit(c1, text: "b", visibility), by: bob).thenRefused(error)
      given.when(.remove(c1, visibility, stands: false, mayRemove: false), by: bob).thenRefused(
        error)
      Given(CommentDecider.self).when(.post(comment("a"), visibility, replyExists: true), by: bob)
        .thenRefused(error == .commentNotFound ? .workoutNotFound : error)
    }
    given.when(.edit(c1, text: "b", .visible), by: nil).thenRefused(.unauthorized)
    given.when(.remove(c1, .visible, stands: true, mayRemove: true), by: nil).thenRefused(
      .unauthorized)
  }

  @Test("Posting the same comment again changes nothing, and the id of another comment is refused")
  func repost() {
    let given = Given(CommentDecider.self, posted("a"))
    given.when(.post(comment(" a"), .visible, replyExists: true), by: bob).thenNothing()
    given.when(.post(comment("b"), .visible, replyExists: true), by: bob)
      .thenRefused(.notAuthorized)
    var reply = comment("a")
    reply.replyTo = c2
    given.when(.post(reply, .visible, replyExists: true), by: bob).thenRefused(.notAuthorized)
    var theirs = comment("a")
    theirs.user = carol
    given.when(.post(theirs, .visible, replyExists: true), by: carol).thenRefused(.notAuthorized)
    given.when(.post(theirs, .visible, replyExists: true), by: bob).thenRefused(.notAuthorized)
    Given(CommentDecider.self, posted("a"), removed)
      .when(.post(comment("a"), .visible, replyExists: true), by: bob)
      .thenRefused(.commentNotFound)
  }

  @Test("An edit is trimmed, and the limits apply to it")
  func editedText() {
    let given = Given(CommentDecider.self, posted("a"))
    given.when(.edit(c1, text: " b\n", .visible), by: bob)
      .then(.comment(.edited(CommentEdited(comment: c1, text: "b"))))
    given.when(.edit(c1, text: "\n", .visible), by: bob).thenRefused(.commentEmpty)
    given.when(.edit(c1, text: String(repeating: "x", count: 1_001), .visible), by: bob)
      .thenRefused(.commentTooLong(limit: 1_000, actual: 1_001))
    Given(CommentDecider.self).when(.edit(c1, text: "b", .visible), by: bob)
      .thenRefused(.commentNotFound)
  }
}

@Suite struct HeartTests {
  private let hearted = Event.heart(.given(Heart(comment: c1, user: alice)))
  private let unhearted = Event.heart(.withdrawn(Heart(comment: c1, user: alice)))
  private typealias Action = HeartDecider.Command.Action
  private func command(
    _ action: Action, _ visibility: Visibility = .visible
  ) -> HeartDecider.Command { .init(action, c1, visibility) }

  @Test("Giving a heart twice or withdrawing none changes nothing")
  func states() {
    Given(HeartDecider.self, hearted, unhearted).when(command(.give), by: alice).then(hearted)
    Given(HeartDecider.self).when(command(.give), by: alice).then(hearted)
    Given(HeartDecider.self, hearted).when(command(.give), by: alice).thenNothing()
    Given(HeartDecider.self, hearted).when(command(.withdraw), by: alice).then(unhearted)
    Given(HeartDecider.self).when(command(.withdraw), by: alice).thenNothing()
  }

  @Test("Only users who see the workout can give hearts, and only to existing comments")
  func refusals() {
    let given = Given(HeartDecider.self)
    for action: Action in [.give, .withdraw] {
      given.when(command(action), by: nil).thenRefused(.unauthorized)
      given.when(command(action, .noProfile), by: alice).thenRefused(.profileNotFound)
      // A heart that does not exist can be withdrawn with any visibility.
      if action == .withdraw {
        given.when(command(action, .nothing), by: alice).thenNothing()
        given.when(command(action, .hidden), by: alice).thenNothing()
        continue
      }
      given.when(command(action, .nothing), by: alice).thenRefused(.commentNotFound)
      given.when(command(action, .hidden), by: alice).thenRefused(.notVisible)
    }
    // A given heart can be withdrawn with any visibility.
    for visibility in [Visibility.hidden, .nothing] {
      let hearted = Given(HeartDecider.self, hearted)
      hearted.when(command(.withdraw, visibility), by: alice).then(unhearted)
    }
  }
}
