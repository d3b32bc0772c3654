extension Option {
  static let log = Option.value(
    "--log", "PATH", "The log: a folder, a .jsonl file, or - for standard input.")
  static let asOf = Option.value(
    "--as-of", "R",
    "Use the state after revision R: 1234, HEAD~3, @2026-01-31T12:00:00Z, 50%, an event id."
  )
  static let format = Option.value(
    "--format", "table|json|jsonl|csv",
    "The output format: table is for people, the others are for programs.")
  static let limit = Option.value("--limit", "N", "Print at most N rows; 0 prints all.")
  static let jobs = Option.value("--jobs", "N", "Read with N tasks; one per core if not given.")
  static let future = Option.flag(
    "--future", "Allow a time more than a day after this computer's clock.")
  static let cold = Option.flag(
    "--cold", "Read the log from its start instead of using a checkpoint.")
  static let unknown = Option.value(
    "--unknown", "stop|skip",
    "On an event of unknown type or version: stop, the default, or skip it."
  )
  static let position = Option.value(
    "--position", "FILE", "The file that keeps this command's progress; created if missing.")
  static let follow = Option.flag(
    "--follow", "Keep running and handle new events, until interrupted.")
  static let actor = Option.value("--as", "USER", "The acting user; nobody if not given.")
  static let service = Option.flag(
    "--service", "The name in --as is that of a service, not of a user.")
  static let rules = Option.value(
    "--rules", "climb|erg|ride|FILE",
    "The rules for a log that records none: an app's name or a JSON file; climb if not given.")
  static let photos = Option.value(
    "--photos", "FOLDER", "The folder of the photos; the folder photos in the log if not given.")
  static let page = Option.value(
    "--page", "FILE", "Also write a web page, open at the event found; see 'eventlog page'.")

  /// The options of the commands that query the state under one path.
  static let past: [Option] = [.log, .asOf, .limit, .format, .unknown, .jobs, .cold]
}

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

  /// Returns the time or the start of the day that an option gives; nil if it is not given.
  func time(_ option: String) throws(Failure) -> Timestamp? {
    guard let text = value(option) else { return nil }
    let plain = text.hasPrefix("@") ? String(text.dropFirst()) : text
    guard let time = DateTime(plain)?.instant ?? CalendarDate(plain)?.start else {
      throw .usage(
        "\(option) takes a time such as 2026-01-31T12:00:00Z or 2026-01-31, not \(quoted(text))")
    }
    return time
  }

  func unknownPolicy() throws(Failure) -> ChunkConsumer.UnknownPolicy {
    switch value("--unknown") ?? "stop" {
    case "stop": return .stop
    case "skip": return .skip
    case let other: throw .usage("--unknown takes stop or skip, not \(quoted(other))")
    }
  }

  /// Returns the maximum number of rows; nil means all rows.
  func rowLimit(default: Int = 0) throws(Failure) -> Int? {
    let limit = try int("--limit", default: `default`, in: 0...Int(Int32.max))
    return limit == 0 ? nil : limit
  }

  func jobs() throws(Failure) -> Int { try int("--jobs", default: coreCount(), in: 1...64) }

  func positionFile() throws(Failure) -> PositionFile {
    guard let path = value("--position") else {
      throw .usage("add --position FILE: the file that keeps this command's progress")
    }
    return PositionFile(path)
  }
}
