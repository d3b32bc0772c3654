import Aggregates
import Events
import PropertyTesting
import Testing

extension DeciderLawsTests {
  /// Whether a retry does nothing or is refused.
  private static func isHarmless(_ again: Result<Event?, DomainError>) -> Bool {
    if case .success(.some) = again { return false }
    return true
  }

  private static let standings: [MemberDecider.State] = [
    .none, .requested, .invited, .member, .admin, .owner,
  ]

  private static let visibilities: Generator<GroupVisibility> = .frequency([
    (6, .just(.seen(as: .owner))),
    (2, .element(of: standings.map { .seen(as: $0) })),
    (1, .element(of: [.noProfile, .hidden, .service])),
  ])

  @Test("A group is created once, changed and transferred by its owner, and deleted for good")
  func group() async throws {
    let crew = GroupID(index: 0)
    let name = Generator<String>.element(of: ["Crew", " Crew", "Club", "", "e\u{301}", "é"])
    try await Self.check(
      GroupDecider.self,
      covering: [
        "GroupCreated": 0.5, "GroupEdited": 0.2, "GroupTransferred": 0.05, "GroupDeleted": 0.1,
        "nothing": 0.2, "refused": 0.5,
      ],
      commands: Generator { t in
        let visibility = t.draw(Self.visibilities)
        let command: GroupDecider.Command =
          switch t.draw(.int(0...9)) {
          case 0...3:
            .create(
              GroupCreated(
                group: crew, owner: alice, name: t.draw(name),
                description: t.draw(.optional(name)), isPublic: true),
              hasProfile: t.draw(Self.often))
          case 4...7:
            .edit(
              GroupEdited(
                group: crew, name: t.draw(.optional(name)),
                description: t.draw(
                  .element(of: [.keep, .clear, .set("d"), .set("e\u{301}"), .set("é")])),
                isPublic: t.draw(.optional(.bool))), visibility)
          case 8:
            .transfer(
              GroupTransferred(group: crew, owner: bob),
              standing: t.draw(.element(of: Self.standings)), visibility)
          default: .delete(crew, visibility)
          }
        return (command, alice)
      },
      types: [.groupCreated, .groupEdited, .groupTransferred, .groupDeleted],
      follows: { before, event, after, _ in
        switch (before, event, after) {
        case (.none, .group(.created(let data)), .open(let group)): data == group
        case (.open(let old), .group(.transferred), .open(let new)):
          old.owner == alice && new.owner == bob
        case (.open(let old), .group(.edited), .open(let new)): old.owner == new.owner
        case (.open, .group(.deleted), .deleted): true
        default: false
        }
      },
      repeats: { Self.isHarmless($1) })
  }

  @Test("A member has one standing at a time, which changes only in allowed steps")
  func member() async throws {
    let bobs = Membership(group: GroupID(index: 0), user: bob)
    try await Self.check(
      MemberDecider.self,
      covering: [
        "MemberInvited": 0.2, "MemberRequested": 0.1, "MemberJoined": 0.3, "MemberLeft": 0.2,
        "MemberRemoved": 0.1, "MemberRoleSet": 0.02, "nothing": 0.2, "refused": 0.5,
      ],
      commands: Generator { t in
        let (visibility, there) = (t.draw(Self.visibilities), t.draw(Self.often))
        let own: [MemberDecider.Command.Action] = [
          .join(hasProfile: there, isPublic: t.draw(.optional(.bool))),
          .leave(hasProfile: there), .decline(hasProfile: there), .accept(visibility),
        ]
        let others: [MemberDecider.Command.Action] = [
          .invite(visibility, isSeen: there), .approve(visibility), .remove(visibility),
          .setRole(t.draw(.element(of: MemberRole.allCases)), visibility),
        ]
        let isOwn = t.draw(.bool)
        return (.init(t.draw(.element(of: isOwn ? own : others)), bobs), isOwn ? bob : alice)
      },
      types: [
        .memberInvited, .memberRequested, .memberJoined, .memberLeft, .memberRemoved,
        .memberRoleSet,
      ],
      follows: { before, event, after, _ in
        switch event {
        case .member(.invited): before == .none && after == .invited
        case .member(.requested): before == .none && after == .requested
        case .member(.joined): !before.isMember && after == .member
        case .member(.left), .member(.removed): before != .none && after == .none
        case .member(.roleSet): before.isMember && after.isMember && before != after
        default: false
        }
      },
      repeats: { Self.isHarmless($1) })
  }

  @Test("A message or report exists once under an id, and a removed one does not come back")
  func messagesAndReports() async throws {
    let text = Generator<String>.element(of: ["hi", " hi", "", "e\u{301}", "é"])
    try await Self.check(
      MessageDecider.self,
      covering: ["MessageSent": 0.5, "MessageRemoved": 0.3, "nothing": 0.2, "refused": 0.5],
      commands: Generator { t in
        let (id, there) = (MessageID(index: 0), t.draw(Self.often))
        let command: MessageDecider.Command =
          t.draw(.int(0...3)) > 0
          ? .send(
            MessageSent(message: id, sender: alice, receiver: bob, text: t.draw(text)),
            hasProfile: there, isSeen: t.draw(Self.often), mayWrite: t.draw(Self.often))
          : .remove(id, hasProfile: there, byService: t.draw(.bool))
        return (command, t.draw(.element(of: [alice, alice, alice, bob])))
      },
      types: [.messageSent, .messageRemoved, .conversationRead],
      follows: { before, event, after, _ in
        switch (before, event, after) {
        case (.none, .conversation(.sent(let data)), .sent(let message)): data == message
        case (.sent, .conversation(.removed), .removed): true
        default: false
        }
      },
      repeats: { Self.isHarmless($1) })
    try await Self.check(
      ReportDecider.self,
      covering: ["ContentReported": 0.5, "ReportClosed": 0.2, "nothing": 0.2, "refused": 0.5],
      commands: Generator { t in
        let id = ReportID(index: 0)
        let command: ReportDecider.Command =
          t.draw(.bool)
          ? .report(
            ContentReported(
              report: id, user: alice, content: ReportedContent(.profile, AnyID(bob)),
              reason: t.draw(text)),
            hasProfile: t.draw(Self.often), problem: t.draw(Self.often) ? nil : .notVisible)
          : .close(
            ReportClosed(report: id, outcome: t.draw(.element(of: ReportOutcome.allCases))),
            byService: t.draw(Self.often))
        return (command, alice)
      },
      types: [.contentReported, .reportClosed],
      follows: { before, event, after, _ in
        switch (before, event, after) {
        case (.none, .report(.reported(let data)), .open(let report)): data == report
        case (.open(let report), .report(.closed(let data)), .closed(let same, let outcome)):
          report == same && data.outcome == outcome
        default: false
        }
      },
      repeats: { Self.isHarmless($1) })
  }
}
