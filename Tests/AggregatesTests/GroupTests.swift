import Aggregates
import Events
import Testing

@Suite struct GroupTests {
  private static let crew = GroupID(index: 0)
  private static let group = GroupCreated(
    group: crew, owner: alice, name: "Crew", description: "Tuesdays", isPublic: true)
  private let created = Event.group(.created(group))
  private let transferred = Event.group(
    .transferred(GroupTransferred(group: crew, owner: bob)))
  private let deleted = Event.group(.deleted(GroupReference(group: crew)))

  private func create(
    _ name: String = "Crew", _ description: String? = "Tuesdays", _ hasProfile: Bool = true
  ) -> GroupDecider.Command {
    .create(
      GroupCreated(
        group: Self.crew, owner: alice, name: name, description: description, isPublic: true),
      hasProfile: hasProfile)
  }

  @Test(
    "A group is created once: a repetition changes nothing, and another one with its id is refused")
  func creation() {
    Given(GroupDecider.self).when(create(), by: alice).then(created)
    Given(GroupDecider.self).when(create(" Crew ", " Tuesdays\n"), by: alice).then(created)
    Given(GroupDecider.self, created).when(create(), by: alice).thenNothing()
    Given(GroupDecider.self, created).when(create("Other"), by: alice).thenRefused(.notAuthorized)
    Given(GroupDecider.self, created, deleted).when(create(), by: alice)
      .thenRefused(.notAuthorized)
    Given(GroupDecider.self).when(create(), by: bob).thenRefused(.notAuthorized)
    Given(GroupDecider.self).when(create(), by: nil).thenRefused(.unauthorized)
    Given(GroupDecider.self).when(create("Crew", nil, false), by: alice)
      .thenRefused(.profileNotFound)
  }

  @Test(
    "A name has 1 to 100 characters and a description at most 280; an empty description is none")
  func texts() {
    let long = String(repeating: "é", count: 100)
    for name in ["", " \n"] {
      Given(GroupDecider.self).when(create(name), by: alice).thenRefused(.nameEmpty)
    }
    Given(GroupDecider.self).when(create(long + "e"), by: alice)
      .thenRefused(.nameTooLong(limit: 100, actual: 101))
    Given(GroupDecider.self).when(create("Crew", String(repeating: "x", count: 281)), by: alice)
      .thenRefused(.descriptionTooLong(limit: 280, actual: 281))
    var group = Self.group
    (group.name, group.description) = (long, nil)
    Given(GroupDecider.self).when(create(long, "  "), by: alice).then(.group(.created(group)))
  }

  private func edit(_ edit: GroupEdited, as standing: MemberDecider.State = .owner)
    -> GroupDecider.Command
  { .edit(edit, .seen(as: standing)) }

  @Test("Only a group's owner edits it, and the event has only the changes")
  func editing() {
    let all = GroupEdited(
      group: Self.crew, name: " Crew", description: .set("Fridays"), isPublic: true)
    Given(GroupDecider.self, created).when(edit(all), by: alice)
      .then(.group(.edited(GroupEdited(group: Self.crew, description: .set("Fridays")))))
    Given(GroupDecider.self, created)
      .when(edit(GroupEdited(group: Self.crew, description: .set(" "))), by: alice)
      .then(.group(.edited(GroupEdited(group: Self.crew, description: .clear))))
    let closed = GroupEdited(group: Self.crew, isPublic: false)
    Given(GroupDecider.self, created).when(edit(closed), by: alice)
      .then(.group(.edited(closed)))
    Given(GroupDecider.self, created, .group(.edited(closed))).when(edit(closed), by: alice)
      .thenNothing()
    for standing: MemberDecider.State in [.admin, .member, .none] {
      Given(GroupDecider.self, created).when(edit(closed, as: standing), by: bob)
        .thenRefused(.notAuthorized)
    }
    Given(GroupDecider.self, created).when(.edit(closed, .hidden), by: bob)
      .thenRefused(.groupNotFound)
    Given(GroupDecider.self, created).when(.edit(closed, .noProfile), by: alice)
      .thenRefused(.profileNotFound)
    Given(GroupDecider.self, created)
      .when(edit(GroupEdited(group: Self.crew, name: "")), by: alice).thenRefused(.nameEmpty)
  }

  @Test("A group can be transferred to a member or admin, who then owns it")
  func transfer() {
    let transfer = GroupTransferred(group: Self.crew, owner: bob)
    func command(_ standing: MemberDecider.State) -> GroupDecider.Command {
      .transfer(transfer, standing: standing, .seen(as: .owner))
    }
    for standing: MemberDecider.State in [.member, .admin] {
      Given(GroupDecider.self, created).when(command(standing), by: alice).then(transferred)
    }
    for standing: MemberDecider.State in [.none, .requested, .invited] {
      Given(GroupDecider.self, created).when(command(standing), by: alice).thenRefused(.notMember)
    }
    Given(GroupDecider.self, created).when(command(.owner), by: alice).thenNothing()
    Given(GroupDecider.self, created, transferred).when(command(.admin), by: alice)
      .thenRefused(.notAuthorized)
    Given(GroupDecider.self, created, transferred)
      .when(.delete(Self.crew, .seen(as: .owner)), by: bob).then(deleted)
  }

  @Test("Only its owner or a service deletes a group, for good")
  func deletion() {
    Given(GroupDecider.self, created).when(.delete(Self.crew, .service), by: dave).then(deleted)
    Given(GroupDecider.self, created).when(.delete(Self.crew, .seen(as: .admin)), by: bob)
      .thenRefused(.notAuthorized)
    Given(GroupDecider.self, created, deleted).when(.delete(Self.crew, .hidden), by: alice)
      .thenRefused(.groupNotFound)
    Given(GroupDecider.self, created, deleted, created)
      .when(.delete(Self.crew, .seen(as: .owner)), by: alice).thenRefused(.groupNotFound)
  }
}

@Suite struct MemberTests {
  private let bobs = Membership(group: GroupID(index: 0), user: bob)

  private func given(_ state: MemberDecider.State) -> Given<MemberDecider> {
    let events: [Event] =
      switch state {
      case .none: []
      case .requested: [.member(.requested(bobs))]
      case .invited: [.member(.invited(bobs))]
      case .member: [.member(.joined(bobs))]
      case .admin:
        [
          .member(.joined(bobs)),
          .member(.roleSet(MemberRoleSet(group: bobs.group, user: bob, role: .admin))),
        ]
      case .owner:
        [
          .group(
            .created(GroupCreated(group: bobs.group, owner: bob, name: "Crew", isPublic: true)))
        ]
      }
    return Given(MemberDecider.self, events)
  }

  private func command(_ action: MemberDecider.Command.Action) -> MemberDecider.Command {
    .init(action, bobs)
  }

  /// Checks a command's result for each standing of bob, from none to owner.
  private func expect(
    _ action: MemberDecider.Command.Action, by actor: UserID, _ says: [Says],
    at location: SourceLocation = #_sourceLocation
  ) {
    let states: [MemberDecider.State] = [.none, .requested, .invited, .member, .admin, .owner]
    for (state, says) in zip(states, says) {
      let when = given(state).when(command(action), by: actor)
      switch says {
      case .event(let event): when.then(.member(event), at: location)
      case .nothing: when.thenNothing(at: location)
      case .refused(let error): when.thenRefused(error, at: location)
      }
    }
  }

  private enum Says {
    case nothing
    case event(MemberEvent)
    case refused(DomainError)
  }

  @Test("Public groups are joined at once, private ones by invitation or request")
  func joining() {
    let member = Says.refused(.alreadyMember)
    expect(
      .join(hasProfile: true, isPublic: true), by: bob,
      [
        .event(.joined(bobs)), .event(.joined(bobs)), .event(.joined(bobs)), member, member, member,
      ])
    expect(
      .join(hasProfile: true, isPublic: false), by: bob,
      [.event(.requested(bobs)), .nothing, .event(.joined(bobs)), member, member, member])
    given(.none).when(command(.join(hasProfile: true, isPublic: nil)), by: bob)
      .thenRefused(.groupNotFound)
    given(.none).when(command(.join(hasProfile: false, isPublic: true)), by: bob)
      .thenRefused(.profileNotFound)
    given(.none).when(command(.join(hasProfile: true, isPublic: true)), by: nil)
      .thenRefused(.unauthorized)
  }

  @Test("An invitation is accepted or declined, and a missing one cannot be accepted")
  func invitation() {
    let none = Says.refused(.noSuchRequest)
    expect(
      .accept(.seen(as: .invited)), by: bob,
      [none, none, .event(.joined(bobs)), none, none, none])
    expect(
      .decline(hasProfile: true), by: bob,
      [.nothing, .nothing, .event(.left(bobs)), .nothing, .nothing, .nothing])
    given(.none).when(command(.accept(.hidden)), by: bob).thenRefused(.groupNotFound)
  }

  @Test("Everybody but the owner can leave a group, and a user without a standing appends nothing")
  func leaving() {
    let left = Says.event(.left(bobs))
    expect(
      .leave(hasProfile: true), by: bob,
      [.nothing, left, left, left, left, .refused(.ownerCannotLeave)])
    given(.member).when(command(.leave(hasProfile: false)), by: bob)
      .thenRefused(.profileNotFound)
  }

  @Test("Admins invite and approve, and an invitation approves a user who has asked")
  func admins() {
    let (joined, member) = (Says.event(.joined(bobs)), Says.refused(.alreadyMember))
    for standing: MemberDecider.State in [.admin, .owner] {
      expect(
        .invite(.seen(as: standing), isSeen: true), by: alice,
        [.event(.invited(bobs)), joined, .nothing, member, member, member])
      let none = Says.refused(.noSuchRequest)
      expect(.approve(.seen(as: standing)), by: alice, [none, joined, none, none, none, none])
    }
    for standing: MemberDecider.State in [.none, .requested, .invited, .member] {
      for action: MemberDecider.Command.Action in [
        .invite(.seen(as: standing), isSeen: true), .approve(.seen(as: standing)),
        .remove(.seen(as: standing)), .setRole(.admin, .seen(as: standing)),
      ] {
        given(.requested).when(command(action), by: alice).thenRefused(.notAuthorized)
      }
    }
    given(.none).when(command(.invite(.seen(as: .admin), isSeen: false)), by: alice)
      .thenRefused(.profileNotFound)
    given(.none).when(command(.invite(.hidden, isSeen: true)), by: alice)
      .thenRefused(.groupNotFound)
    given(.none).when(command(.invite(.noProfile, isSeen: true)), by: alice)
      .thenRefused(.profileNotFound)
  }

  @Test("Admins remove plain members, requests and invitations; the owner also removes admins")
  func removal() {
    let (removed, denied) = (Says.event(.removed(bobs)), Says.refused(.notAuthorized))
    expect(
      .remove(.seen(as: .admin)), by: alice,
      [.refused(.notMember), removed, removed, removed, denied, denied])
    expect(
      .remove(.seen(as: .owner)), by: alice,
      [.refused(.notMember), removed, removed, removed, removed, denied])
  }

  @Test("The owner makes members admins, and admins plain members")
  func roles() {
    func set(_ role: MemberRole) -> Says {
      .event(.roleSet(MemberRoleSet(group: bobs.group, user: bob, role: role)))
    }
    let none = Says.refused(.notMember)
    expect(
      .setRole(.admin, .seen(as: .owner)), by: alice,
      [none, none, none, set(.admin), .nothing, .refused(.notAuthorized)])
    expect(
      .setRole(.member, .seen(as: .owner)), by: alice,
      [none, none, none, .nothing, set(.member), .refused(.notAuthorized)])
    given(.member).when(command(.setRole(.admin, .seen(as: .admin))), by: alice)
      .thenRefused(.notAuthorized)
  }

  @Test("A transfer makes the new owner the owner, and the former owner an admin")
  func ownership() {
    var (new, old) = (MemberDecider.State.member, MemberDecider.State.owner)
    let transferred = Event.group(
      .transferred(GroupTransferred(group: bobs.group, owner: bob)))
    MemberDecider.evolve(&new, transferred)
    MemberDecider.evolve(&old, transferred)
    #expect((new, old) == (.owner, .admin))
  }
}
