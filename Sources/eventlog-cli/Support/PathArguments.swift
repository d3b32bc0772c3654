extension Invocation {
  /// Returns the path in a positional argument; nil if there is no such argument.
  func statePath(_ index: Int) throws(Failure) -> StatePath? {
    guard positionals.count > index else { return nil }
    do throws(StatePath.Fault) {
      return try StatePath(positionals[index])
    } catch {
      throw Failure(error, in: positionals[index])
    }
  }

  /// Returns the path in the first argument, which must name one user, workout, comment or handle.
  func pathOfOne() throws(Failure) -> StatePath {
    guard let path = try statePath(0) else { throw .usage("a path is missing") }
    guard path.isOfOne else {
      throw .usage(
        "\(quoted(path.text)) does not name one piece of state; write \(path.kind.name)/"
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

  /// Opens a log's event index, and saves it as a checkpoint if building it took long.
  func timeTravel(_ view: LogView) async throws -> TimeTravel<LogView> {
    if let session { return session }
    let bar = Progress(label: "index", total: view.size, unit: "bytes")
    let travel = TimeTravel(
      view, jobs: try jobs(), unknown: try unknownPolicy(), usesCheckpoints: !flag("--cold")
    ) { done, total in bar.update(done, of: total) }
    var index = try await travel.open()
    bar.finish()
    noteSkipped(index.skipped)
    if !flag("--cold") { index.saveIfDue(view) }
    return travel
  }

  /// Opens a log's event index, and rejects a path argument with ids that do not occur in the log.
  func timeTravel(_ view: LogView, path index: Int) async throws -> TimeTravel<LogView> {
    let travel = try await timeTravel(view)
    if positionals.count > index {
      try await check(StatePath.ids(in: positionals[index]), in: positionals[index], travel)
    }
    return travel
  }

  /// Rejects ids that do not occur in the log, and suggests similar ones.
  func check(_ ids: [NamedID], in text: String, _ travel: TimeTravel<LogView>) async throws {
    guard let unknown = try await travel.firstUnknown(among: ids) else { return }
    let near = didYouMean(
      unknown.id, try await travel.candidates(for: unknown), inSentence: true)
    throw Failure(
      .usage,
      "character \(unknown.offset + 1): the log has no \(unknown.kind.rawValue.lowercased()) "
        + quoted(unknown.id) + near,
      excerpt: (text, unknown.offset))
  }

  /// Prints the pieces of state under the path in a positional argument.
  /// - Throws: exit 1 if there are none.
  func writeFacts(
    _ view: LogView, at revision: UInt64, path index: Int, _ format: Format, limit: Int?
  ) async throws {
    let path = try statePath(index)
    let travel = try await timeTravel(view, path: index)
    let facts = try await travel.facts(at: revision, under: path)
    if let path, facts.isEmpty {
      throw Failure(.refused, "nothing at \(quoted(path.text)) as of revision \(revision)")
    }
    Rows(facts, limit: limit).write(format, footer: "as of revision \(revision)")
  }
}

extension Why {
  /// Returns a line with the path's value, and with the number of events for each effect on it: how
  /// many count, were undone, and so on.
  func footer(_ revision: UInt64) -> String {
    let counts = Role.allCases.compactMap { role -> String? in
      let count = reasons.count { $0.role == role }
      return count == 0 ? nil : "\(grouped(count)) \(role.rawValue)"
    }
    let value = value.map { $0.words } ?? "none"
    return "\(path.text) is \(truncated(sanitized(value), to: 60)) as of revision \(revision): "
      + counts.joined(separator: ", ")
  }
}
