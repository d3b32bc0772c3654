import Events
import Projections

/// What the commands of a session share, and where it is.
struct DebugSession: Sendable {
  var view: LogView
  var travel: TimeTravel<LogView>
}
