import Events

/// The users' reports of content, with their outcomes.
///
/// ```swift
/// Array(reports.all)  // [spam]: oldest first
/// reports[spam]?.outcome  // nil: it is open
/// ```
/// A report stays when its user's account is deleted.
/// - Complexity: O(1) per event.
public struct Reports: FamilyProjection {
  public static let name = "reports"
  public static let version = 1
  public static let handles = EventTypes.report.union([.accountDeleted])

  /// A report and its outcome.
  public struct Report: Equatable, Sendable {
    /// The user who reported the content.
    public var user: UserID
    /// The reported content.
    public var content: ReportedContent
    /// The reason that the user gave.
    public var reason: String
    /// The time at which the content was reported.
    public var time: Timestamp
    /// The outcome; nil while the report is open.
    public var outcome: ReportOutcome?
  }

  private var states = Records<Report>()
  /// The ids of all reports in one list, oldest first.
  private var order = Lists(blank: ReportID(index: 0))

  public init() {}

  public mutating func apply(_ event: borrowing ReportEvent, at moment: Moment) {
    switch event {
    case .reported(let data):
      guard !states.has(data.report.index) else { return }
      states[data.report.index] = Report(
        user: data.user, content: data.content, reason: data.reason, time: moment.time)
      order.append(data.report, to: 0)
    case .closed(let data):
      guard var report = states[data.report.index] else { return }
      report.outcome = data.outcome
      states[data.report.index] = report
    }
  }

  public mutating func removeAccount(_ user: UserID) {}

  public mutating func code(with coder: inout StateCoder) {
    states.code(with: &coder)
    order.code(with: &coder)
  }

  /// The report with this id; nil if there is none.
  public subscript(id: ReportID) -> Report? { states[id.index] }

  /// The ids of all reports, oldest first.
  public var all: Slab<ReportID>.SubSequence { order[0] }

  public func brokenInvariant(_ names: Names) -> String? {
    let count = names.all(ReportID.self).count { states.has($0.index) }
    return count == all.count ? nil : "\(all.count) of \(count) reports are listed"
  }
}

extension Reports.Report: Storable {
  public static var blank: Self {
    Self(
      user: UserID(index: 0), content: .blank, reason: "", time: .earliest, outcome: nil)
  }

  public mutating func code(with coder: inout RecordCoder) {
    coder(&user)
    coder(&content)
    coder(&reason)
    coder(&time)
    coder(&outcome)
  }
}
