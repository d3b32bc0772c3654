import Aggregates
import Events
import Testing

@Suite struct MessageTests {
  private static let hello = MessageSent(
    message: MessageID(index: 0), sender: alice, receiver: bob, text: "hello")
  private let sent = Event.conversation(.sent(hello))
  private let removed = Event.conversation(
    .removed(MessageRemoved(message: hello.message, sender: alice, receiver: bob)))

  private func send(
    _ text: String = "hello", hasProfile: Bool = true, isSeen: Bool = true, mayWrite: Bool = true
  ) -> MessageDecider.Command {
    .send(
      MessageSent(message: Self.hello.message, sender: alice, receiver: bob, text: text),
      hasProfile: hasProfile, isSeen: isSeen, mayWrite: mayWrite)
  }

  @Test(
    "A message is sent once: a repetition changes nothing, and another one with its id is refused")
  func sending() {
    Given(MessageDecider.self).when(send(" hello\n"), by: alice).then(sent)
    Given(MessageDecider.self, sent).when(send(), by: alice).thenNothing()
    Given(MessageDecider.self, sent).when(send("bye"), by: alice).thenRefused(.notAuthorized)
    // A retry is recognised after any change between the two users.
    Given(MessageDecider.self, sent).when(send(" hello", isSeen: false, mayWrite: false), by: alice)
      .thenNothing()
    Given(MessageDecider.self, sent).when(send("bye", mayWrite: false), by: alice)
      .thenRefused(.notVisible)
    Given(MessageDecider.self, sent, removed).when(send(), by: alice).thenRefused(.notAuthorized)
    Given(MessageDecider.self).when(send(), by: bob).thenRefused(.notAuthorized)
    Given(MessageDecider.self).when(send(), by: nil).thenRefused(.unauthorized)
  }

  @Test(
    "A message needs a receiver whom the sender sees and may write to, and 1 to 2,000 characters")
  func refusals() {
    Given(MessageDecider.self).when(send(hasProfile: false), by: alice)
      .thenRefused(.profileNotFound)
    Given(MessageDecider.self).when(send(isSeen: false, mayWrite: false), by: alice)
      .thenRefused(.profileNotFound)
    Given(MessageDecider.self).when(send(mayWrite: false), by: alice).thenRefused(.notVisible)
    Given(MessageDecider.self).when(send(" "), by: alice).thenRefused(.messageEmpty)
    Given(MessageDecider.self).when(send(String(repeating: "é", count: 2_001)), by: alice)
      .thenRefused(.messageTooLong(limit: 2_000, actual: 2_001))
  }

  @Test("Only its sender or a service removes a message, and for others it does not exist")
  func removal() {
    func remove(_ hasProfile: Bool = true, byService: Bool = false) -> MessageDecider.Command {
      .remove(Self.hello.message, hasProfile: hasProfile, byService: byService)
    }
    Given(MessageDecider.self, sent).when(remove(), by: alice).then(removed)
    Given(MessageDecider.self, sent).when(remove(), by: bob).thenRefused(.notAuthorized)
    Given(MessageDecider.self, sent).when(remove(), by: carol).thenRefused(.messageNotFound)
    Given(MessageDecider.self, sent).when(remove(false), by: alice).thenRefused(.profileNotFound)
    Given(MessageDecider.self, sent).when(remove(false, byService: true), by: dave).then(removed)
    Given(MessageDecider.self).when(remove(), by: alice).thenRefused(.messageNotFound)
    Given(MessageDecider.self, sent, removed).when(remove(), by: alice)
      .thenRefused(.messageNotFound)
    let read = Event.conversation(
      .read(ConversationRead(user: bob, other: alice, upTo: EventID(high: 0, low: 0))))
    Given(MessageDecider.self, sent, read).when(remove(), by: alice).then(removed)
  }
}

@Suite struct ReportTests {
  private static let spam = ContentReported(
    report: ReportID(index: 0), user: alice, content: ReportedContent(.profile, AnyID(bob)),
    reason: "spam")
  private let reported = Event.report(.reported(spam))

  private func report(
    _ reason: String = "spam", hasProfile: Bool = true, _ problem: DomainError? = nil
  ) -> ReportDecider.Command {
    var report = Self.spam
    report.reason = reason
    return .report(report, hasProfile: hasProfile, problem: problem)
  }

  private func closed(_ outcome: ReportOutcome) -> ReportClosed {
    ReportClosed(report: Self.spam.report, outcome: outcome)
  }

  @Test("Visible content can be reported, once under an id")
  func reporting() {
    Given(ReportDecider.self).when(report(" spam "), by: alice).then(reported)
    Given(ReportDecider.self, reported).when(report(), by: alice).thenNothing()
    // Also if the content was removed since, and the report closed.
    Given(ReportDecider.self, reported, .report(.closed(closed(.removed))))
      .when(report("spam", .profileNotFound), by: alice).thenNothing()
    Given(ReportDecider.self, reported).when(report("other"), by: alice)
      .thenRefused(.notAuthorized)
    Given(ReportDecider.self).when(report(), by: bob).thenRefused(.notAuthorized)
    Given(ReportDecider.self).when(report(), by: nil).thenRefused(.unauthorized)
    Given(ReportDecider.self).when(report(hasProfile: false), by: alice)
      .thenRefused(.profileNotFound)
    for problem: DomainError in [.notVisible, .commentNotFound, .messageNotFound, .groupNotFound] {
      Given(ReportDecider.self).when(report("spam", problem), by: alice).thenRefused(problem)
    }
    Given(ReportDecider.self)
      .when(report(String(repeating: "x", count: 1_001), .notVisible), by: alice)
      .thenRefused(.notVisible)
    Given(ReportDecider.self).when(report(String(repeating: "x", count: 1_001)), by: alice)
      .thenRefused(.reasonTooLong(limit: 1_000, actual: 1_001))
  }

  @Test("Only a service closes a report, once")
  func closing() {
    let kept = Event.report(.closed(closed(.kept)))
    Given(ReportDecider.self, reported).when(.close(closed(.kept), byService: true), by: dave)
      .then(kept)
    Given(ReportDecider.self, reported, kept).when(.close(closed(.kept), byService: true), by: dave)
      .thenNothing()
    Given(ReportDecider.self, reported, kept)
      .when(.close(closed(.removed), byService: true), by: dave).thenRefused(.notAuthorized)
    Given(ReportDecider.self, reported).when(.close(closed(.kept), byService: false), by: alice)
      .thenRefused(.notAuthorized)
    Given(ReportDecider.self).when(.close(closed(.kept), byService: true), by: dave)
      .thenRefused(.reportNotFound)
  }
}
