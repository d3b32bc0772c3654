import EventLog
import Events
import Projections

extension TimeTravel {
  /// Calls `body` with a search for the relevant events up to a position, which reads at most
  /// `limit` lines.
  package func searching<T: Sendable>(
    until position: UInt64, limit: Int = .max,
    _ body: @Sendable (inout RelevanceSearch<H>) throws(LogError) -> T
  ) async throws(LogError) -> T {
    try await asking { (index) throws(LogError) in
      var search = RelevanceSearch(index.view, index.eventIndex, until: position, limit: limit)
      return try body(&search)
    }
  }
}
