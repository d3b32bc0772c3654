import Events

extension Command {
  static let initialize = Command(
    name: "init", summary: "Make a new, empty log",
    arguments: "[PATH]", positionals: 0...1,
    discussion:
      "Makes the folder with an empty first segment; exit 73 if there is a log with events in it.",
    options: [.value("--log", "PATH", "The folder; the same as the argument.")],
    examples: [Example(command: "eventlog init my.log", help: "A log in the folder my.log.")],
    run: { invocation in
      guard let path = try invocation.positionals.first ?? invocation.writePath() as String? else {
        return
      }
      try await makeLog(path)
      Output.remark("made an empty log at \(path)")
    })
}

/// Makes an empty log, or fails with 73.
func makeLog(_ path: String) async throws {
  do throws(LogError) {
    let log = try FileLog(path: path, creating: true)
    if await log.head() > 0 {
      throw LogError.notALog(path: path, reason: "there is a log with events here already")
    }
    try log.beginFirstSegment()
  } catch {
    switch error {
    case .notALog(let path, let reason): throw Failure(.cannotCreate, "\(path): \(reason)")
    case .file(let file): throw Failure(.cannotCreate, "\(file)")
    default: throw Failure(error)
    }
  }
}
