import Events

extension Option {
  static let log = Option.value(
    "--log", "PATH", "The log: a folder, a .jsonl file, or - for standard input.")
  static let asOf = Option.value(
    "--as-of", "R", "The state after revision R: 1234, HEAD~3, @2026-01-31T12:00:00Z, 50%, an id.")
  static let format = Option.value(
    "--format", "table|json|jsonl|csv", "How to print: table is for people, the rest for programs.")
  static let limit = Option.value("--limit", "N", "At most N rows; 0 is all.")
  static let jobs = Option.value("--jobs", "N", "Read with N tasks; as many as there are cores.")
  static let cold = Option.flag("--cold", "Start from the log's text, not from a checkpoint.")
  static let unknown = Option.value(
    "--unknown", "stop|skip", "What to do at an event of unknown type or version: stop, or skip it."
  )
}

let pastOptions: [Option] = [.log, .asOf, .limit, .format, .unknown, .jobs, .cold]

extension Invocation {
  func unknownPolicy() throws(Failure) -> ChunkConsumer.UnknownPolicy {
    switch value("--unknown") ?? "stop" {
    case "stop": return .stop
    case "skip": return .skip
    case let other: throw .usage("--unknown takes stop or skip, not \(quoted(other))")
    }
  }

  /// The maximum number of rows; nil means all.
  func rowLimit() throws(Failure) -> Int? {
    let limit = try int("--limit", default: 0, in: 0...Int(Int32.max))
    return limit == 0 ? nil : limit
  }
}
