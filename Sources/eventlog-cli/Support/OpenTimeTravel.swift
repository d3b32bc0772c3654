import EventLog
import Events
import Projections
import Replaying

extension Invocation {
  /// Opens the index of a log, and saves it as a checkpoint if it took long to build.
  func timeTravel(_ view: LogView) async throws -> TimeTravel<LogView> {
    if let session { return session.travel }
    let bar = Progress(label: "index", total: view.size, unit: "bytes")
    let travel = TimeTravel(
      view, jobs: try int("--jobs", default: coreCount(), in: 1...64),
      unknown: try unknownPolicy(), usesCheckpoints: !flag("--cold")
    ) { done, total in bar.update(done, of: total) }
    do throws(LogError) {
      var index = try await travel.open()
      bar.finish()
      noteSkipped(index.skipped)
      if !flag("--cold") { index.saveIfDue(view) }
    } catch {
      throw Failure(error)
    }
    return travel
  }
}
