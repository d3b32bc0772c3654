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
  static let position = Option.value(
    "--position", "FILE", "Where it is kept how far this has come; made if it is not there.")
  static let follow = Option.flag("--follow", "Go on with what is appended, until interrupted.")
  static let rules = Option.value(
    "--rules", "climb|erg|ride|FILE",
    "The rules of a log that records none: of which app, or a JSON file; climb if not given.")
  static let photos = Option.value(
    "--photos", "FOLDER", "Where photos are stored; the folder photos in the log if not given.")
  static let page = Option.value(
    "--page", "FILE", "Also write what was found as a web page, as 'eventlog page' does.")

  /// The options of questions about one path.
  static let past: [Option] = [.log, .asOf, .limit, .format, .unknown, .jobs, .cold]
}

/// The output formats of a result.
enum Format: String, CaseIterable, Sendable { case table, json, jsonl, csv }

extension Invocation {
  func format() throws(Failure) -> Format {
    guard let text = value("--format") else { return .table }
    guard let format = Format(rawValue: text) else {
      throw .usage(
        "--format takes table, json, jsonl or csv, not \(quoted(text))"
          + didYouMean(text, Format.allCases.map(\.rawValue), inSentence: true))
    }
    return format
  }

  func unknownPolicy() throws(Failure) -> ChunkConsumer.UnknownPolicy {
    switch value("--unknown") ?? "stop" {
    case "stop": return .stop
    case "skip": return .skip
    case let other: throw .usage("--unknown takes stop or skip, not \(quoted(other))")
    }
  }

  /// The maximum number of rows; nil means all.
  func rowLimit(default: Int = 0) throws(Failure) -> Int? {
    let limit = try int("--limit", default: `default`, in: 0...Int(Int32.max))
    return limit == 0 ? nil : limit
  }

  func jobs() throws(Failure) -> Int { try int("--jobs", default: coreCount(), in: 1...64) }

  func positionFile() throws(Failure) -> PositionFile {
    guard let path = value("--position") else {
      throw .usage("add --position FILE, where it is kept how far this has come")
    }
    return PositionFile(path)
  }
}
