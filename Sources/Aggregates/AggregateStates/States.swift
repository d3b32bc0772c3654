import Events

// How tables store the deciders' states: numbers for pairs, summaries separate from texts, and the
// encoding for checkpoints.

extension ChupDecider.State: Numbered {
  var number: UInt32 { UInt32(rawValue) }
  init(number: UInt32) { self = Self(rawValue: UInt8(truncatingIfNeeded: number)) ?? .none }
}

extension ReactionKinds: Numbered {
  var number: UInt32 { UInt32(rawValue) }
  init(number: UInt32) { self.init(rawValue: UInt8(truncatingIfNeeded: number)) }
}

extension MemberDecider.State: Numbered {
  var number: UInt32 { UInt32(rawValue) }
  init(number: UInt32) { self = Self(rawValue: UInt8(truncatingIfNeeded: number)) ?? .none }
}

extension FriendshipDecider.State: Numbered {
  /// 0 for `none`, 1 for `friends`, and the number of the sender's id plus 2 for a pending request.
  /// The sum never overflows, because there are too few users.
  var number: UInt32 {
    switch self {
    case .none: 0
    case .friends: 1
    case .pending(let sender): sender.index &+ 2
    }
  }

  init(number: UInt32) {
    switch number {
    case 0: self = .none
    case 1: self = .friends
    case let sender: self = .pending(sender: UserID(index: sender - 2))
    }
  }
}

extension ProfileDecider.State: Brief {
  struct Standing: BitwiseCopyable, Sendable {
    var isOpen: Bool
    var isPublic: Bool
  }

  /// Whether the account is open and whether the profile is public.
  var summary: Standing { Standing(isOpen: account == .open, isPublic: isPublic) }
}

extension WorkoutDecider.State: Brief {
  struct Item: BitwiseCopyable, Sendable {
    var owner: UserID
    var audience: Audience?
  }

  /// The owner and the audience of a shared workout.
  var summary: Item? {
    guard case .shared(let workout, _) = self else { return nil }
    return Item(owner: workout.owner, audience: workout.audience)
  }
}

extension CommentDecider.State: Brief {
  struct Place: BitwiseCopyable, Sendable {
    var workout: WorkoutID
    var author: UserID
  }

  /// The workout and the author of a posted comment.
  var summary: Place? {
    guard case .posted(let comment) = self else { return nil }
    return Place(workout: comment.workout, author: comment.user)
  }
}

extension GroupDecider.State: Brief {
  struct Group: BitwiseCopyable, Sendable {
    var owner: UserID
    var isPublic: Bool
  }

  /// The owner of an open group, and whether it is public.
  var summary: Group? {
    guard case .open(let group) = self else { return nil }
    return Group(owner: group.owner, isPublic: group.isPublic)
  }
}

extension ProfileDecider.State: Storable {
  public static var blank: Self { ProfileDecider.initial }

  public mutating func code(with coder: inout RecordCoder) {
    var number: UInt8 =
      switch account {
      case .none: 0
      case .open: 1
      case .deleted: 2
      }
    coder(&number)
    account = number == 0 ? .none : number == 1 ? .open : .deleted
    codeMembers(with: &coder)
    coder(&photo)
    coder(&location)
    coder(&sports)
    coder(&weeklyGoal)
    coder(&premium)
  }
}

extension WorkoutDecider.State: Storable {
  public static var blank: Self { .none }

  public mutating func code(with coder: inout RecordCoder) {
    var kind: UInt8 = 0
    var (workout, detail) = (WorkoutShared?.none, WorkoutDetailAttached?.none)
    var owner = UserID(index: 0)
    switch self {
    case .none: break
    case .removed(let present): (kind, owner) = (1, present)
    case .shared(let present, let attached): (kind, workout, detail) = (2, present, attached)
    }
    coder(&kind)
    switch kind {
    case 1:
      coder(&owner)
      self = .removed(owner: owner)
    case 2:
      coder(&workout)
      coder(&detail)
      if let workout { self = .shared(workout, detail: detail) }
    default: self = .none
    }
  }
}

extension CommentDecider.State: Storable {
  public static var blank: Self { .none }

  public mutating func code(with coder: inout RecordCoder) {
    var kind: UInt8 = 0
    var comment = CommentPosted?.none
    switch self {
    case .none: break
    case .removed: kind = 1
    case .posted(let present): (kind, comment) = (2, present)
    }
    coder(&kind)
    guard kind == 2 else {
      self = kind == 1 ? .removed : .none
      return
    }
    coder(&comment)
    if let comment { self = .posted(comment) }
  }
}

extension GroupDecider.State: Storable {
  public static var blank: Self { .none }

  public mutating func code(with coder: inout RecordCoder) {
    var (isDeleted, group) = (self == .deleted, GroupCreated?.none)
    if case .open(let present) = self { group = present }
    coder(&isDeleted)
    coder(&group)
    self = isDeleted ? .deleted : group.map(Self.open) ?? .none
  }
}

extension MessageDecider.State: Storable {
  public static var blank: Self { .none }

  public mutating func code(with coder: inout RecordCoder) {
    var (isRemoved, message) = (self == .removed, MessageSent?.none)
    if case .sent(let present) = self { message = present }
    coder(&isRemoved)
    coder(&message)
    self = isRemoved ? .removed : message.map(Self.sent) ?? .none
  }
}

extension ReportDecider.State: Storable {
  public static var blank: Self { .none }

  public mutating func code(with coder: inout RecordCoder) {
    var (report, outcome) = (ContentReported?.none, ReportOutcome?.none)
    switch self {
    case .none: break
    case .open(let present): report = present
    case .closed(let present, let end): (report, outcome) = (present, end)
    }
    coder(&report)
    coder(&outcome)
    self =
      report.map { report in
        outcome.map { Self.closed(report, $0) } ?? .open(report)
      } ?? .none
  }
}
