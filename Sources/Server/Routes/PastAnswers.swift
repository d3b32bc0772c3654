import Aggregates
import Events
import UseCases

/// A cache of past revisions that answer queries. The 8 most recently opened revisions stay open.
actor PastAnswers {
  private static let most = 8
  private var open: [(position: UInt64, past: Past)] = []

  func answer(
    _ request: Request, at text: String, _ view: LogView, _ core: Core
  ) async -> Response {
    guard let revision = Revision(text) else {
      return .failure(
        404, "noSuchRevision",
        "as-of: a revision is expected: 1234, HEAD, HEAD~3, @2026-01-31T12:00:00Z, 50%, an event id"
      )
    }
    do throws(LogError) {
      let position = try revision.resolve(in: view)
      let past: Past
      if let known = open.first(where: { $0.position == position }) {
        past = known.past
      } else {
        past = try await Past(of: view, until: position, like: core)
        if open.count >= Self.most { open.removeFirst() }
        open.append((position, past))
      }
      return Response(await past.perform(request), position: position)
    } catch {
      if case .noSuchRevision = error { return .failure(404, "noSuchRevision", "\(error)") }
      return Response(.log(error))
    }
  }
}
