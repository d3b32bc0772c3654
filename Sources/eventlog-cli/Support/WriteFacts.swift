import EventLog
import Events
import Projections
import TimeMachine

/// Prints the pieces of state under the path in a positional argument.
/// - Throws: exit 1 if there are none.
func writeFacts(
  _ invocation: Invocation, _ view: LogView, at revision: UInt64, path index: Int,
  _ format: Format, limit: Int?
) async throws {
  let path = try invocation.statePath(index)
  let travel = try await invocation.timeTravel(view)
  try await invocation.checkPath(index, travel)
  let facts = try await asking { () throws(LogError) in
    try await travel.facts(at: revision, under: path)
  }
  if let path, facts.isEmpty {
    throw Failure(.refused, "nothing at \(quoted(path.text)) as of revision \(revision)")
  }
  Rows(facts, limit: limit).write(format, footer: "as of revision \(revision)")
}
