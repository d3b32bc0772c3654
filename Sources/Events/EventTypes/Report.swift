/// An event about a user's report of content.
public enum ReportEvent: EventFamily, CodedFamily {
  /// A user reported some content.
  indirect case reported(ContentReported)
  /// A service closed the report.
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

/// The data of `ContentReported`: a user's report of content, and the reason.
public struct ContentReported: EventData {
  /// The new report's id.
  public var report: ReportID
  /// The user who reports the content.
  public var user: UserID
  /// The reported content.
  public var content: ReportedContent
  /// The user's reason for the report; it may be empty.
  public var reason: String

  /// Creates the data of a `ContentReported` event.
  public init(report: ReportID, user: UserID, content: ReportedContent, reason: String) {
    (self.report, self.user, self.content, self.reason) = (report, user, content, reason)
  }

  init() { self.init(report: .blank, user: .blank, content: .blank, reason: "") }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("report", &report)
    try members("user", &user)
    var (kind, id) = (content.kind, content.id)
    try members("kind", &kind)
    try members.id("id", &id, of: kind.ids)
    content = ReportedContent(kind, id)
    try members.text("reason", &reason, .maybeEmpty)
  }

  public var stream: StreamID { .report(report) }

  var words: Words? { Words(of: AnyID(report), by: .user(user)) }
}

/// A reference to reported content: a profile, workout, comment, message or group.
public struct ReportedContent: Hashable, Sendable, BitwiseCopyable {
  /// A kind of content that users can report.
  public enum Kind: String, CaseIterable, Sendable, BitwiseCopyable {
    case profile, workout, comment, message, group

    /// The kind of id that identifies content of this kind.
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

  /// The kind of the reported content.
  public let kind: Kind
  /// The id of the reported content.
  public let id: AnyID

  /// Creates a reference to reported content from its kind and its id.
  /// - Precondition: The id is of the kind that `kind.ids` names.
  public init(_ kind: Kind, _ id: AnyID) {
    precondition(id.kind == kind.ids, "an id of another kind")
    (self.kind, self.id) = (kind, id)
  }
}

/// The data of `ReportClosed`: the decision that closes a report.
public struct ReportClosed: WordlessData {
  /// The id of the closed report.
  public var report: ReportID
  /// The decision about the reported content.
  public var outcome: ReportOutcome

  /// Creates the data of a `ReportClosed` event.
  public init(report: ReportID, outcome: ReportOutcome) {
    (self.report, self.outcome) = (report, outcome)
  }

  init() { self.init(report: .blank, outcome: .kept) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("report", &report)
    try members("outcome", &outcome)
  }

  public var stream: StreamID { .report(report) }
}

/// The decision about reported content: it was kept or removed.
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
