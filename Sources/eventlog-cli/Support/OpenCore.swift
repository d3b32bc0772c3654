extension Invocation {
  /// Returns the log's current rules; `--rules` must be equal to them, unless the log records none.
  func rules() throws -> Rules { try ruleHistory().current }

  /// Returns the log's rules by position: the recorded ones, else those of `--rules`, else climb's.
  func ruleHistory() throws -> RuleHistory {
    let given = try givenRules()
    guard let recorded = try recordedRules() else { return RuleHistory(given ?? .climb) }
    if let given { try recorded.check(given) }
    return recorded
  }

  /// Returns the rules that the log records; nil if it records none.
  func recordedRules() throws -> RuleHistory? {
    try RuleHistory(readPath == "-" ? RecordedRules() : RecordedRules(folder: readPath))
  }

  /// Returns the rules that an option names; nil if it is not given.
  func givenRules(_ option: String = "--rules") throws(Failure) -> Rules? {
    try value(option).map { (name) throws(Failure) in try namedRules(name, option) }
  }

  /// Returns the rules of a preset or a file.
  func namedRules(_ name: String, _ place: String) throws(Failure) -> Rules {
    if let rules = Rules.presets.first(where: { $0.name == name }) { return rules }
    let names = Rules.presets.map(\.name)
    guard name.contains("/") || name.hasSuffix(".json") else {
      throw .usage(
        "\(place) takes \(names.joined(separator: ", ")) or a file such as rules.json, "
          + "not \(quoted(name))\(didYouMean(name, names, inSentence: true))")
    }
    let text: [UInt8]
    do throws(FileError) { text = try readFile(name) } catch { throw .usage("\(error)") }
    do throws(RulesFault) {
      return try Rules(json: String(decoding: text, as: UTF8.self))
    } catch {
      throw .usage("\(name): \(error)")
    }
  }

  /// Opens a core that may append, and its log.
  func openCoreAndLog() async throws -> (core: Core, log: FileLog) {
    // Checks the option before it opens the log.
    let rules = try givenRules()
    let log = try await openLogForWriting()
    let core = try await Core.open(
      log, rules: rules, usesCheckpoints: !flag("--cold"), unknown: try unknownPolicy())
    return (core, log)
  }

  /// Opens the state as of the revision in `--as-of`.
  func openPast() async throws -> Past {
    let view = try openLog()
    noteTail(of: view)
    let until = try revision("--as-of", in: view)
    return try await Past(
      of: view, until: until, rules: try rules(), usesCheckpoints: !flag("--cold"),
      unknown: try unknownPolicy())
  }

  /// Opens a read-only core, on any log.
  /// - Parameter follows: whether the core reads events that are appended later.
  func openCoreForReading(follows: Bool) async throws -> Core {
    let view = try openLog()
    noteTail(of: view)
    return try await Core.open(
      reading: view, follows: follows, rules: try rules(), usesCheckpoints: !flag("--cold"),
      unknown: try unknownPolicy())
  }

  func photoPorts() -> PhotoPorts {
    let folder = value("--photos")
    let log = value("--log") ?? environment("EVENTLOG") ?? "."
    // The log records paths relative to its folder, so that the folder can be moved.
    return PhotoPorts(
      storage: PhotoFolder(folder ?? log + "/photos", baseURL: folder == nil ? "photos/" : ""),
      encoder: defaultPhotoEncoder())
  }
}
