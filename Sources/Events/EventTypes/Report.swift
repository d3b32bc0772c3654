/// What happens to a report of something that should not be there.
public enum ReportEvent: EventFamily, CodedFamily {
  indirect case reported(ContentReported)
  case closed(ReportClosed)

  @inlinable
  public init?(_ event: borrowing Event) {
    switch event {
    case .report(let event): self = event
    default: return nil
    }
  }

  func visit<V: EventVisitor>(_ visitor: inout V) -> V.Result {
    switch self {
    case .reported(let data): visitor.visit(.contentReported, data) { .report(.reported($0)) }
    case .closed(let data): visitor.visit(.reportClosed, data) { .report(.closed($0)) }
    }
  }
}

/// The data of `ContentReported`: who reports what, and why.
public struct ContentReported: EventData {
  public var report: ReportID
  public var user: UserID
  public var content: ReportedContent
  public var reason: String

  public init(report: ReportID, user: UserID, content: ReportedContent, reason: String) {
    self.report = report
    self.user = user
    self.content = content
    self.reason = reason
  }

  init() { self.init(report: .blank, user: .blank, content: .blank, reason: "") }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("report", &report)
    try members("user", &user)
    var (kind, id) = (content.kind, content.id)
    try members("kind", &kind)
    try members.id("id", &id, of: kind.ids)
    content = ReportedContent(kind, id)
    try members("reason", &reason)
  }

  public var stream: StreamID { .report(report) }

  var words: Words? { Words(of: AnyID(report), by: .user(user)) }

  mutating func mapContent(_ map: inout some ContentMap) {
    reason = map.text(reason, "reason", .maybeEmpty)
  }
}

/// What can be reported.
public struct ReportedContent: Hashable, Sendable, BitwiseCopyable {
  public enum Kind: String, CaseIterable, Sendable, BitwiseCopyable {
    case profile, workout, comment, message, group

    /// The kind of the ids of such content.
    public var ids: IDKind {
      switch self {
      case .profile: .user
      case .workout: .workout
      case .comment: .comment
      case .message: .message
      case .group: .group
      }
    }
  }

  public let kind: Kind
  public let id: AnyID

  /// - Precondition: the id is of the kind's.
  public init(_ kind: Kind, _ id: AnyID) {
    precondition(id.kind == kind.ids, "an id of another kind")
    (self.kind, self.id) = (kind, id)
  }
}

/// The data of `ReportClosed`: what became of it.
public struct ReportClosed: WordlessData {
  public var report: ReportID
  public var outcome: ReportOutcome

  public init(report: ReportID, outcome: ReportOutcome) {
    self.report = report
    self.outcome = outcome
  }

  init() { self.init(report: .blank, outcome: .kept) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("report", &report)
    try members("outcome", &outcome)
  }

  public var stream: StreamID { .report(report) }
}

/// What became of reported content.
public enum ReportOutcome: String, CaseIterable, Sendable, BitwiseCopyable {
  case kept, removed
}

extension ReportedContent: Storable {
  public static var blank: Self { Self(.profile, AnyID(.user, 0)) }

  public mutating func code(with coder: inout RecordCoder) {
    var (kind, index) = (kind, id.index)
    coder(&kind)
    coder(&index)
    if coder.isReading { self = Self(kind, AnyID(kind.ids, index)) }
  }
}
