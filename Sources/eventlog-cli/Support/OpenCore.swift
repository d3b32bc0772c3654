import Aggregates
import Events
import UseCases

extension Option {
  static let rules = Option.value(
    "--rules", "climb|erg|ride|FILE",
    "The rules that hold: of which app, or a JSON file; climb if not given.")
  static let photos = Option.value(
    "--photos", "FOLDER", "Where photos are stored; the folder photos in the log if not given.")
}

extension Invocation {
  func rules(_ option: String = "--rules") throws(Failure) -> Rules {
    guard let name = value(option) else { return .climb }
    if let rules = Rules.presets.first(where: { $0.name == name }) { return rules }
    let names = Rules.presets.map(\.name)
    guard name.contains("/") || name.hasSuffix(".json") else {
      let near = suggestion(for: name, among: names).map { "; did you mean '\($0)'?" } ?? ""
      throw .usage(
        "\(option) takes \(names.joined(separator: ", ")) or a file such as rules.json, "
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

  /// The rules as JSON.
  func rulesText() throws(Failure) -> String {
    let rules = try rules()
    guard let name = value("--rules"), rules.name != name || name.hasSuffix(".json"),
      let text = try? readFile(name)
    else { return JSONValue.object([.init("base", .string(rules.name))]).text }
    return String(decoding: text, as: UTF8.self)
  }

  /// A core that may append, on an existing log.
  func openCoreForWriting() async throws(Failure) -> Core { try await openCoreAndLog().core }

  /// A core that may append, and its log.
  func openCoreAndLog() async throws(Failure) -> (core: Core, log: FileLog) {
    let log = try await openLogForWriting()
    if let recovery = log.recovery { Output.remark("recovered: \(recovery)") }
    let (rules, unknown) = (try rules(), try unknownPolicy())
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
