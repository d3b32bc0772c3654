import Events

/// Decides about one report, which a user creates once and a service closes.
public enum ReportDecider: Decider {
  /// The state of a report.
  public enum State: Equatable, Sendable {
    /// The report does not exist.
    case none
    /// The report waits for a service's decision.
    case open(ContentReported)
    /// The report was closed with an outcome.
    case closed(ContentReported, ReportOutcome)
  }

  /// A command about one report.
  public enum Command: Sendable {
    /// Reports content. `problem`: the error if the reporter cannot see the content; otherwise nil.
    case report(ContentReported, hasProfile: Bool, problem: DomainError?)
    /// Closes the report, which only a service may do.
    case close(ReportClosed, byService: Bool)
  }

  public static var initial: State { .none }

  public static func evolve(_ state: inout State, _ event: borrowing ReportEvent) {
    switch event {
    case .reported(let report): if state == .none { state = .open(report) }
    case .closed(let closed):
      switch state {
      case .none: break
      case .open(let report), .closed(let report, _): state = .closed(report, closed.outcome)
      }
    }
  }

  /// Returns the event that a command causes; nil if nothing would change. Repeating a report, or
  /// closing it again with the same outcome, returns nil.
  /// - Throws: `profileNotFound`, `reasonTooLong`, `reportNotFound`; the command's `problem`;
  ///   `notAuthorized`, also if another report has the id, or the report was closed with another
  ///   outcome.
  public static func decide(
    _ command: Command, _ state: State, by actor: UserID, _ rules: Rules
  ) throws(DomainError) -> Event? {
    switch command {
    case .report(var report, let hasProfile, let problem):
      guard hasProfile else { throw .profileNotFound }
      guard report.user == actor else { throw .notAuthorized }
      switch state {
      case .none:
        if let problem { throw problem }
        report.reason = try rules.reason(report.reason)
        return .report(.reported(report))
      case .open(let old), .closed(let old, _):
        report.reason = trimmed(report.reason)
        guard old == report, same(old.reason, report.reason) else { throw .notAuthorized }
        return nil
      }
    case .close(let closed, let byService):
      guard byService else { throw .notAuthorized }
      switch state {
      case .none: throw .reportNotFound
      case .open: return .report(.closed(closed))
      case .closed(_, closed.outcome): return nil
      case .closed: throw .notAuthorized
      }
    }
  }
}

extension ReportEvent: Decidable {
  package func decide(
    in states: AggregateStates, by actor: EventActor, at time: Timestamp?, _ rules: Rules
  ) throws(DomainError) -> Event? {
    let (id, command): (ReportID, ReportDecider.Command) =
      switch self {
      case .reported(let data):
        (
          data.report,
          .report(
            data, hasProfile: states.exists(actor.id),
            problem: states.problem(with: data.content, actor, rules))
        )
      case .closed(let data): (data.report, .close(data, byService: actor.isService))
      }
    return try ReportDecider.decide(command, states.report(id), by: actor.id, rules)
  }
}
