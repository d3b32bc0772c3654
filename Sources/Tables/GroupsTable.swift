import Events
import Projections
import UseCases

extension Table {
  /// The groups that the viewer may see.
  static let groups = Table(
    "groups", "The groups that were not deleted.",
    [
      Member("id", .text, "The group's id.") { (row: GroupRow, _) in .text(row.group) },
      Member("owner_id", .user, "The current owner.", references: "profiles", isOptional: true) {
        row, _ in
        .optional(row.owner)
      },
      Member("name", .text, "The name.") { row, _ in .text(row.name) },
      Member("description", .text, "The description.", isOptional: true) { row, _ in
        .optional(row.description)
      },
      Member("is_public", .bool, "Whether all users may see and join it.") { row, _ in
        .bool(row.isPublic)
      },
      Member("member_count", .integer, "The number of all members, including hidden ones.") {
        row, _ in
        .optional(row.memberCount)
      },
      Member("created_at", .time, "The time of the creation.") { row, _ in .time(row.createdAt) },
    ],
    key: ["id"],
    mirror: MirrorRows(
      indexes: [["owner_id"]], { key, view in [view.name(key.group)] },
      changed: { event, view, touch in view.visitGroups(of: event) { touch(RowKey($0)) } }),
    indexes: [
      NamedIndex(columns: ["id"], isOpen: true) { values, view, body in
        view.find(values[0]).map { (id: GroupID) in _ = body(RowKey(id)) }
      }
    ],
    writes: TableWrites(
      owner: "owner_id", conflict: ["id"], writable: ["name", "description", "is_public"],
      id: "id",
      insert: { change in
        let fields = change.fields(
          [
            "id": "group", "name": "name", "description": "description", "is_public": "isPublic",
          ], nulls: false)
        return [TableCommand("CreateGroup", fields)]
      },
      update: { change in
        let group = JSONValue.Member("group", change.row["id"] ?? .null)
        let fields = change.fields(
          ["name": "name", "description": "description", "is_public": "isPublic"])
        let owner = change.fields(["owner_id": "user"])
        return (fields.isEmpty ? [] : [TableCommand("EditGroup", [group] + fields)])
          + (owner.isEmpty ? [] : [TableCommand("TransferGroup", [group] + owner)])
      },
      delete: { [TableCommand("DeleteGroup", "group", $0.row["id"])] }),
    all: { view, body in
      (0..<UInt32(view.model.names.count(of: .group))).visit { body(RowKey(GroupID(index: $0))) }
    },
    item: { key, view in GroupRow(key.group, for: view.viewer, in: view.model) })

  /// The members of the groups that the viewer may see, without hidden users; also the viewer's own
  /// invitations and requests, and for admins the requests of others.
  static let groupMembers = Table(
    "group_members", "The members of groups, and the users invited or waiting for approval.",
    [
      Member("group_id", .text, "The group.", references: "groups") { (key: RowKey, view) in
        view.name(key.group)
      },
      Member("user_id", .user, "The user.", references: "profiles") { $1.name($0.other) },
      Member("role", .text, "owner, admin, member, invited or requested.") {
        .text($1.model.views.standing($0.group, $0.other).name)
      },
      Member("created_at", .time, "The time of joining, of the invitation or of the request.") {
        .optional($1.model.views.memberSince($0.group, $0.other))
      },
    ],
    key: ["group_id", "user_id"],
    mirror: MirrorRows(
      indexes: [["user_id"]],
      { key, view in [view.name(key.group), view.name(key.other)] },
      changed: { event, view, touch in
        if case .member(let event) = event { return touch(RowKey(event.group, event.user)) }
        if case .group(.transferred(let data)) = event { touch(RowKey(data.group, data.owner)) }
        if case .group(.created(let data)) = event { touch(RowKey(data.group, data.owner)) }
        view.visitGroups(of: event) { visitMembers(of: $0, view) { touching($0, touch) } }
      }),
    indexes: [
      NamedIndex(columns: ["group_id", "user_id"]) { values, view, body in
        guard let group: GroupID = view.find(values[0]), let user = view.user(values[1]) else {
          return
        }
        _ = body(RowKey(group, user))
      },
      NamedIndex(
        columns: ["group_id"],
        estimate: { values, view in
          view.find(values[0]).map { view.model.views.memberCount(of: $0) } ?? 0
        },
        visit: { values, view, body in
          if let group: GroupID = view.find(values[0]) { visitMembers(of: group, view, body) }
        }),
      NamedIndex(
        columns: ["user_id"], estimate: { _, _ in 20 },
        visit: { values, view, body in
          guard let user = view.user(values[0]) else { return }
          let joined = view.model.views.groups(of: user)
          let waiting = view.model.views.groupsAwaited(by: user)
          (joined + waiting).visit { body(RowKey($0, user)) }
        }),
    ],
    writes: memberWrites,
    all: visitAllMembers,
    item: { key, view in
      let standing = view.model.views.standing(key.group, key.other)
      guard standing != .none,
        let group = GroupRow(key.group, for: view.viewer, in: view.model)
      else { return nil }
      if view.isMirror { return view.isHidden(key.other) ? nil : key }
      if view.me == key.other { return key }
      if standing.isMember { return view.isHidden(key.other) ? nil : key }
      let asked = standing == .requested ? group.requests ?? [] : []
      return asked.contains(view.model.names[key.other]) ? key : nil
    })
}

extension TableView {
  /// Calls `body` with each group that an event may change, or whose members it may change.
  fileprivate func visitGroups(of event: Event, _ body: (GroupID) -> Void) {
    switch event {
    case .group(let event): body(event.group)
    case .member(let event): body(event.group)
    default:
      guard let user = event.account else { return }
      for group in model.views.groups(of: user) { body(group) }
      for group in model.views.groupsAwaited(by: user) { body(group) }
    }
  }
}

@discardableResult
private func visitMembers(
  of group: GroupID, _ view: TableView, _ body: (RowKey) -> Bool
) -> Bool {
  view.model.views.members(of: group).visit { body(RowKey(group, $0)) }
    && view.model.views.waiting(for: group).visit { body(RowKey(group, $0)) }
}

@Sendable private func visitAllMembers(_ view: TableView, _ body: (RowKey) -> Bool) {
  (0..<UInt32(view.model.names.count(of: .group))).visit {
    visitMembers(of: GroupID(index: $0), view, body)
  }
}

private let memberWrites = TableWrites(
  caller: "user_id", conflict: ["group_id", "user_id"],
  writable: ["group_id", "user_id", "role"],
  insert: { (change) throws(TableFault) in
    try checkRole(change, "A new member is a member; change the role afterwards.")
    return change["user_id"] == .string(change.user)
      ? [TableCommand("JoinGroup", "group", change["group_id"])]
      : [TableCommand("InviteToGroup", memberFields(change))]
  },
  update: { (change) throws(TableFault) in
    guard let role = change.values["role"], role != change.row["role"] else { return [] }
    switch change.row["role"] {
    case .string("invited"), .string("requested"):
      try checkRole(change, "Set member to accept; delete the row to decline.")
      if change.isMine("user_id") {
        return [TableCommand("AcceptGroupInvitation", "group", change["group_id"])]
      }
      return [TableCommand("ApproveMember", memberFields(change))]
    default: return [TableCommand("SetGroupRole", memberFields(change) + [.init("role", role)])]
    }
  },
  delete: { change in
    if !change.isMine("user_id") { return [TableCommand("RemoveMember", memberFields(change))] }
    let isInvited = change.row["role"] == .string("invited")
    return [
      TableCommand(
        isInvited ? "DeclineGroupInvitation" : "LeaveGroup", "group", change["group_id"])
    ]
  })

/// - Throws: `23514` if the write sets another role than `member`.
private func checkRole(_ change: TableChange, _ hint: String) throws(TableFault) {
  let role = change.values["role"] ?? .null
  if role != .null, role != .string("member") {
    throw TableFault("23514", "this role cannot be set here", hint: hint)
  }
}

private func memberFields(_ change: TableChange) -> [JSONValue.Member] {
  [.init("group", change["group_id"] ?? .null), .init("user", change["user_id"] ?? .null)]
}
