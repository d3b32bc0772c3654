import Aggregates
import Events
import Projections
import UseCases

extension Option {
  static let rules = Option.value(
    "--rules", "climb|erg|ride", "The limits that hold: those of which app; climb if not given.")
  static let photos = Option.value(
    "--photos", "FOLDER", "Where photos are stored; the folder photos in the log if not given.")
}

extension Invocation {
  func rules() throws(Failure) -> Rules {
    guard let name = value("--rules") else { return .climb }
    guard let rules = Rules.presets.first(where: { $0.name == name }) else {
      let names = Rules.presets.map(\.name)
      let near = suggestion(for: name, among: names).map { "; did you mean '\($0)'?" } ?? ""
      throw .usage("--rules takes \(names.joined(separator: ", ")), not \(quoted(name))\(near)")
    }
    return rules
  }

  /// A core that may append, on a log that exists.
  func openCoreForWriting() async throws(Failure) -> Core {
    let path = try writePath()
    let log = try failing { () throws(LogError) in try FileLog(path: path) }
    if let recovery = log.recovery { Output.remark("recovered: \(recovery)") }
    return try await openCore(log, state: restored(log.view(), until: .max))
  }

  /// A core that only answers, on any log.
  func openCoreForReading() async throws(Failure) -> Core {
    let view = try openLog()
    noteTail(of: view)
    let until = try revision("--as-of", in: view)
    return try await openCore(
      try failing { () throws(LogError) in
        try ReadOnlyLog(view, until: until)
      }, state: restored(view, until: until))
  }

  private func restored(_ view: LogView, until: UInt64) -> Replay<CoreState> {
    var state = Replay<CoreState>()
    if !flag("--cold") { note(state.restore(view, until: until), of: view) }
    return state
  }

  private func openCore(
    _ store: some EventStore, state: Replay<CoreState>
  ) async throws(Failure) -> Core {
    let (rules, unknown) = (try rules(), try unknownPolicy())
    do throws(LogError) {
      return try await Core(store, rules: rules, state: state, unknown: unknown)
    } catch {
      throw Failure(error)
    }
  }

  func photoPorts() -> PhotoPorts {
    let folder = value("--photos")
    let log = value("--log") ?? environment("EVENTLOG") ?? "."
    // What the log records has to make sense wherever the log's folder is moved to.
    return PhotoPorts(
      storage: PhotoFolder(folder ?? log + "/photos", baseURL: folder == nil ? "photos/" : ""),
      encoder: defaultPhotoEncoder())
  }
}
