import Aggregates
import Events
import UseCases

extension Option {
  static let rules = Option.value(
    "--rules", "climb|erg|ride|FILE",
    "The rules of a log that records none: of which app, or a JSON file; climb if not given.")
  static let photos = Option.value(
    "--photos", "FOLDER", "Where photos are stored; the folder photos in the log if not given.")
}

extension Invocation {
  /// The rules of the log. `--rules` may only name them, unless the log records none.
  func rules() throws(Failure) -> Rules { try ruleHistory().current }

  /// The rules of the log by position: the recorded ones; else those of `--rules`, or climb's.
  func ruleHistory() throws(Failure) -> RuleHistory {
    let given = try givenRules()
    guard let recorded = try recordedRules() else { return RuleHistory(given ?? .climb) }
    if let given { try failing { () throws(LogError) in try recorded.check(given) } }
    return recorded
  }

  /// The rules that the log records; nil if it records none.
  func recordedRules() throws(Failure) -> RuleHistory? {
    let path = readPath
    return try failing { () throws(LogError) in
      try RuleHistory(path == "-" ? RecordedRules() : RecordedRules(folder: path))
    }
  }

  /// The rules that an option names; nil if it is not given.
  func givenRules(_ option: String = "--rules") throws(Failure) -> Rules? {
    guard let name = value(option) else { return nil }
    return try namedRules(name, option)
  }

  /// The rules of a preset or a file.
  func namedRules(_ name: String, _ place: String) throws(Failure) -> Rules {
    if let rules = Rules.presets.first(where: { $0.name == name }) { return rules }
    let names = Rules.presets.map(\.name)
    guard name.contains("/") || name.hasSuffix(".json") else {
      let near = suggestion(for: name, among: names).map { "; did you mean '\($0)'?" } ?? ""
      throw .usage(
        "\(place) takes \(names.joined(separator: ", ")) or a file such as rules.json, "
          + "not \(quoted(name))\(near)")
    }
    let text: [UInt8]
    do throws(FileError) { text = try readFile(name) } catch { throw .usage("\(error)") }
    do throws(RulesFault) {
      return try Rules(json: String(decoding: text, as: UTF8.self))
    } catch {
      throw .usage("\(name): \(error)")
    }
  }

  /// A core that may append, on an existing log.
  func openCoreForWriting() async throws(Failure) -> Core { try await openCoreAndLog().core }

  /// A core that may append, and its log.
  func openCoreAndLog() async throws(Failure) -> (core: Core, log: FileLog) {
    // Wrong words are refused before the log is opened.
    _ = try givenRules()
    let log = try await openLogForWriting()
    if let recovery = log.recovery { Output.remark("recovered: \(recovery)") }
    let (rules, unknown) = (try givenRules(), try unknownPolicy())
    let core = try await opened { [isCold = flag("--cold")] () async throws(LogError) in
      try await .open(log, rules: rules, usesCheckpoints: !isCold, unknown: unknown)
    }
    return (core, log)
  }

  /// What answers as of a past revision, which is given.
  func openPast() async throws(Failure) -> Past {
    let view = try openLog()
    noteTail(of: view)
    let until = try revision("--as-of", in: view)
    let (rules, unknown) = (try rules(), try unknownPolicy())
    do throws(LogError) {
      return try await Past(
        of: view, until: until, rules: rules, usesCheckpoints: !flag("--cold"), unknown: unknown)
    } catch {
      throw Failure(error)
    }
  }

  /// A read-only core, on any log.
  /// - Parameter follows: whether it sees what is appended later.
  func openCoreForReading(follows: Bool) async throws(Failure) -> Core {
    let view = try openLog()
    noteTail(of: view)
    let (rules, unknown) = (try rules(), try unknownPolicy())
    return try await opened { [isCold = flag("--cold")] () async throws(LogError) in
      try await .open(
        reading: view, follows: follows, rules: rules, usesCheckpoints: !isCold, unknown: unknown)
    }
  }

  private func opened(
    _ open: () async throws(LogError) -> Core
  ) async throws(Failure) -> Core {
    do throws(LogError) {
      return try await open()
    } catch {
      throw Failure(error)
    }
  }

  func photoPorts() -> PhotoPorts {
    let folder = value("--photos")
    let log = value("--log") ?? environment("EVENTLOG") ?? "."
    // What the log records must stay valid wherever its folder is moved.
    return PhotoPorts(
      storage: PhotoFolder(folder ?? log + "/photos", baseURL: folder == nil ? "photos/" : ""),
      encoder: defaultPhotoEncoder())
  }
}

/// Names the checkpoints that could not be used: some turn out damaged only when they are read.
func noteIgnored(_ states: [IgnoredState]) {
  for ignored in states { Output.remark("note: \(ignored); it is not used") }
}
