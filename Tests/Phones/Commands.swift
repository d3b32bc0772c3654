import Events
import UseCases

/// The ids that a simulation has created, from which commands choose.
struct KnownIDs {
  var users: [String]
  var workouts: [String] = []
  var comments: [String] = []
  var groups: [String] = []
  var messages: [String] = []

  /// Remembers the id that a command created.
  mutating func add(_ name: String, _ answer: JSONValue) {
    func text(_ json: JSONValue?) -> String? {
      if case .string(let text)? = json { text } else { nil }
    }
    switch name {
    case "ShareWorkout": if let id = text(answer) { workouts.append(id) }
    case "ShareWorkouts":
      if case .array(let ids) = answer { workouts += ids.compactMap { text($0) } }
    case "PostComment": if let id = text(answer["comment"]) { comments.append(id) }
    case "CreateGroup": if let id = text(answer) ?? text(answer["group"]) { groups.append(id) }
    case "SendMessage": if let id = text(answer) { messages.append(id) }
    default: break
    }
  }
}

/// A command with its input.
struct SimulatedCommand {
  var name: String
  var input: JSONValue
  /// The text in the input that no other command has; nil without a text.
  var secret: String?
}

/// Makes commands from the numbers of a step.
struct CommandMaker {
  let ids: KnownIDs
  /// A number that no other command of the simulation has.
  let serial: Int
  /// The present time.
  let now: Timestamp

  /// The text that marks where a person's words are: no other command has it.
  private var secret: String { "zq\(serial)qz" }

  private func pick(_ list: [String], _ number: UInt64) -> JSONValue {
    // Recent things are more interesting, and sometimes a thing does not exist.
    if list.isEmpty || number % 41 == 0 { return .string("unknown\(number % 3)") }
    let recent = number % 3 == 0 ? list[...] : list.suffix(12)
    return .string(recent[recent.startIndex + Int(number / 3 % UInt64(recent.count))])
  }

  /// Makes a random command. Those of `everywhere` are also performed by people without a phone.
  func command(_ numbers: [UInt64], isTap: Bool) -> SimulatedCommand {
    let (a, b) = (numbers[1], numbers[2])
    let user = pick(ids.users, a)
    let workout = pick(ids.workouts, a)
    let comment = pick(ids.comments, a)
    let group = pick(ids.groups, a)
    func make(
      _ name: String, _ fields: KeyValuePairs<String, JSONValue>, says: Bool = false
    ) -> SimulatedCommand {
      SimulatedCommand(
        name: name, input: .object(fields.map { .init($0.key, $0.value) }),
        secret: says ? secret : nil)
    }
    let flag = JSONValue.bool(b % 2 == 0)
    switch numbers[0] % 46 {
    case 0, 1: return make("FollowUser", ["followee": user])
    case 2: return make("UnfollowUser", ["followee": user])
    case 3, 4: return make("ToggleFollow", ["followee": user])
    case 5, 6, 7: return make("SendFriendRequest", ["receiver": user])
    case 8, 9, 10: return make("AcceptFriendRequest", ["sender": user])
    case 11: return make("RejectFriendRequest", ["sender": user])
    case 12: return make("CancelFriendRequest", ["receiver": user])
    case 13: return make("RemoveFriend", ["friend": user])
    case 14: return make("BlockUser", ["user": user])
    case 15: return make("UnblockUser", ["user": user])
    case 16, 17: return make("UpdateProfile", ["bio": .string(secret)], says: true)
    case 18: return make("UpdateProfile", ["isPublic": flag])
    case 19, 20, 21, 22:
      let audience = ["private", "friends", "followers", "public"][Int(b % 4)]
      return make(
        "ShareWorkout",
        ["date": .string("\(now)"), "text": .string(secret), "audience": .string(audience)],
        says: true)
    case 23:
      return make("EditWorkout", ["workout": workout, "text": .string(secret)], says: true)
    case 24:
      let audience = ["private", "friends", "followers", "public"][Int(b % 4)]
      return make("EditWorkout", ["workout": workout, "audience": .string(audience)])
    case 25: return make("RemoveWorkout", ["workout": workout])
    case 26: return make("GiveChup", ["workout": workout])
    case 27: return make("ToggleChup", ["workout": workout])
    case 28: return make("GiveBigChup", ["workout": workout])
    case 29:
      let kind = ["fire", "strong", "clap"][Int(b % 3)]
      return make("GiveReaction", ["workout": workout, "kind": .string(kind)])
    case 30, 31, 32:
      return make("PostComment", ["workout": workout, "text": .string(secret)], says: true)
    case 33:
      return make("EditComment", ["comment": comment, "text": .string(secret)], says: true)
    case 34: return make("RemoveComment", ["comment": comment])
    case 35: return make("ToggleCommentHeart", ["comment": comment])
    case 36:
      return make("CreateGroup", ["name": .string(secret), "isPublic": flag], says: true)
    case 37, 38: return make("JoinGroup", ["group": group])
    case 39: return make("LeaveGroup", ["group": group])
    case 40: return make("ApproveMember", ["group": group, "user": pick(ids.users, b)])
    case 41, 42, 43: return make("SendMessage", ["to": user, "text": .string(secret)], says: true)
    case 44: return make("MarkConversationRead", ["with": user])
    default:
      if !isTap {
        return b % 40 == 0 ? make("DeleteAccount", [:]) : make("MarkNotificationsRead", [:])
      }
      return b % 3 == 0
        ? make("RemoveMessage", ["message": pick(ids.messages, a)])
        : make("SetWeeklyGoal", ["meters": .int(b % 9_000 + 1_000)])
    }
  }
}
