import Aggregates
import EventLog
import Events
import UseCases

/// A log that is opened again for each transaction, and that may be rewritten in between.
struct LogSource {
  /// The log at one moment.
  struct Moment {
    var view: LogView
    var head: LogHead
    /// The number of rewritings that the view reflects, or fewer if one has just happened.
    var rewritings: Int
    var rules: Rules
  }

  let open: () throws(LogError) -> LogView
  /// The rules for a log that records none.
  let rules: Rules?
  private var known: (ledgerSize: Int, rewritings: Int)?

  init(_ rules: Rules?, _ open: @escaping () throws(LogError) -> LogView) {
    (self.open, self.rules) = (open, rules)
  }

  /// Returns the log as it is now.
  mutating func moment() throws(LogError) -> Moment {
    let view = try open()
    let rewritings = try rewritings(of: view)
    let recorded = try RuleHistory(view.recordedRules())
    if let rules { try recorded?.check(rules) }
    return Moment(
      view: view, head: try view.head(), rewritings: rewritings,
      rules: recorded?.current ?? rules ?? .climb)
  }

  /// Returns the number of rewritings of the log, at the moment when `view` was opened.
  private mutating func rewritings(of view: LogView) throws(LogError) -> Int {
    if let known, known.ledgerSize == view.ledgerSize { return known.rewritings }
    let count = try view.rewritings().entries.count
    // The ledger may have grown since the view was opened. A mirror of old lines must not be marked
    // as one of the rewritten log.
    if view.isLog, try open().ledgerSize != view.ledgerSize {
      throw .rewritten(path: view.path)
    }
    known = (view.ledgerSize, count)
    return count
  }
}

extension LogSource.Moment {
  /// Checks that a mirror belongs to this log.
  /// - Throws: `.refused` with advice if the log has another event at the mirror's position.
  func check(_ found: MirrorState, _ name: String) throws(MirrorFault) {
    let advice = "; check --log, or replace the mirror with --rebuild"
    let isSame = try reading { () throws(LogError) in
      let last = LogHead(seq: found.position, time: found.time, sum: found.sum)
      // A log with fewer rewritings has forgotten people again.
      guard found.rewritings <= rewritings else { return false }
      return try view.carry(SubscriptionPosition(last, rewritings: found.rewritings)) != nil
    }
    if isSame { return }
    if found.position > head.seq {
      throw .refused(
        "\(name) is at event \(found.position), but \(view.path) ends at event \(head.seq): the "
          + "mirror belongs to another log, or the log was cut" + advice)
    }
    throw .refused(
      "\(view.path) has another event \(found.position) than the log of \(name)" + advice)
  }
}

/// Returns the result of `body`; converts its error.
func reading<T>(_ body: () throws(LogError) -> T) throws(MirrorFault) -> T {
  do throws(LogError) { return try body() } catch { throw .log(error) }
}
