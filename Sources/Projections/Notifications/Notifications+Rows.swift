import Events

extension Notifications {
  /// A notification as the tables keep it: 24 bytes, and any bytes are one.
  struct Row: BitwiseCopyable, Sendable {
    static let none = Row(timeAndKind: 0, seq: 0, user: .init(index: 0), subject: 0, detail: 0)

    private var timeAndKind: Int64
    private(set) var seq: UInt32
    private(set) var user: UserID
    /// The workout of a chup, a reaction or a comment.
    private var subject: UInt32
    /// The comment, or the number of a reaction's kind.
    private var detail: UInt32

    private init(
      timeAndKind: Int64, seq: UInt32, user: UserID, subject: UInt32, detail: UInt32
    ) {
      (self.timeAndKind, self.seq, self.user) = (timeAndKind, seq, user)
      (self.subject, self.detail) = (subject, detail)
    }

    init(_ notification: Notification) {
      let (kind, detail): (Int64, UInt32) =
        switch notification.kind {
        case .request: (0, 0)
        case .acceptance: (1, 0)
        case .follow: (2, 0)
        case .chup(_, big: false): (3, 0)
        case .chup(_, big: true): (4, 0)
        case .comment(let comment, _): (5, comment.index)
        case .reaction(_, let kind): (6, UInt32(kind.number))
        }
      self.init(
        timeAndKind: notification.time.milliseconds << 8 | kind,
        seq: UInt32(truncatingIfNeeded: notification.seq), user: notification.user,
        subject: notification.kind.workout?.index ?? 0,
        detail: detail)
    }

    private var workout: WorkoutID { WorkoutID(index: subject) }
    private var kind: Notification.Kind {
      switch timeAndKind & 0xff {
      case 0: .request
      case 1: .acceptance
      case 2: .follow
      case 3: .chup(workout, big: false)
      case 4: .chup(workout, big: true)
      case 6:
        .reaction(
          workout,
          ReactionKind.allCases[min(Int(detail), ReactionKind.allCases.count - 1)])
      default: .comment(CommentID(index: detail), workout)
      }
    }

    var notification: Notification {
      Notification(
        kind: kind, user: user, seq: UInt64(seq),
        time: Timestamp(milliseconds: timeAndKind >> 8))
    }

    /// Whether it tells of a chup of the workout, a reaction to it or a comment on it.
    func isAbout(_ workout: WorkoutID) -> Bool {
      timeAndKind & 0xff > 2 && subject == workout.index
    }
  }
}
