import EventLog
import Events
import Projections
import Replaying

/// The position of a session, and what its commands share.
struct DebugSession: Sendable {
  var view: LogView
  var travel: TimeTravel<LogView>
}
