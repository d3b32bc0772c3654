import Events
import Projections
import Replaying

extension Invocation {
  /// The path in a positional argument.
  func statePath(_ index: Int) throws(Failure) -> StatePath? {
    guard positionals.count > index else { return nil }
    return try Self.path(positionals[index])
  }

  private static func path(_ text: String) throws(Failure) -> StatePath {
    do throws(StatePath.Fault) {
      return try StatePath(text)
    } catch {
      throw Failure(error, in: text)
    }
  }

  /// The path in a positional argument, which must name one user, workout, comment or handle.
  func pathOfOne(_ index: Int) throws(Failure) -> StatePath {
    guard let path = try statePath(index) else { throw .usage("a path is missing") }
    guard path.isOfOne else {
      throw .usage(
        "\(quoted(path.text)) is the state of many; say whose: \(path.kind.name)/"
          + path.kind.idNames.joined(separator: "/"))
    }
    return path
  }

  func expression(_ text: String) throws(Failure) -> Expression {
    do throws(Expression.Fault) {
      return try Expression(text)
    } catch {
      throw Failure(error, in: text)
    }
  }

  /// Rejects a positional path with ids that do not occur in the log.
  func checkPath(_ index: Int, _ travel: TimeTravel<some History>) async throws(Failure) {
    guard positionals.count > index else { return }
    try await check(StatePath.ids(in: positionals[index]), in: positionals[index], travel)
  }

  /// Rejects ids that do not occur in the log, and suggests the ones probably meant.
  func check(
    _ ids: [NamedID], in text: String, _ travel: TimeTravel<some History>
  ) async throws(Failure) {
    let unknown = try await asking { () throws(LogError) in
      try await travel.firstUnknown(among: ids)
    }
    guard let unknown else { return }
    let candidates = try await asking { () throws(LogError) in
      try await travel.candidates(for: unknown)
    }
    let near = suggestion(for: unknown.id, among: candidates)
    throw Failure(
      .usage,
      "character \(unknown.offset + 1): the log has no \(unknown.kind.rawValue.lowercased()) "
        + quoted(unknown.id) + (near.map { "; did you mean '\($0)'?" } ?? ""),
      excerpt: (text, unknown.offset))
  }
}
