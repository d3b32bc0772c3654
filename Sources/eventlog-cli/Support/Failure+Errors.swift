import Events
import Projections
import UseCases

extension Failure {
  /// Chooses the exit code by the conventions of sysexits.h.
  init(_ error: LogError) {
    let code: ExitCode
    var message = "\(error)"
    switch error {
    case .noSuchLog(let path):
      code = .noInput
      if path == "eventlogs/demo" { message += "; name one with --log PATH or $EVENTLOG" }
    case .file(let file):
      code = file.isDenied || file.isNotFound ? .noInput : .inputOutput
    case .notALog: code = .noInput
    case .damaged, .invalidEvent, .unknownType, .notImported, .idTaken, .keyUsed, .timeGoesBack,
      .conflict:
      code = .data
    case .locked: code = .cannotCreate
    case .closed, .rewritten: code = .inputOutput
    case .store:
      code = error.remoteFault.map(Self.code) ?? error.rulesRefusal.map(Self.code) ?? .inputOutput
    case .noSuchRevision: code = .usage
    }
    if case .unknownType = error { message += "; pass over such events with --unknown skip" }
    self.init(code, message)
  }

  private static func code(_ refusal: RulesRefusal) -> ExitCode {
    switch refusal {
    case .other: .usage
    case .unreadable, .parted, .beyondHead: .data
    case .changed: .inputOutput
    }
  }

  private static func code(_ fault: RemoteFault) -> ExitCode {
    switch fault {
    case .unreachable, .unknownOutcome, .refused, .unsafe: .inputOutput
    case .noLog: .noInput
    case .parted, .lost, .forgotten, .damaged: .data
    case .isClone, .isNoClone: .usage
    }
  }
}

extension Failure {
  init(_ error: UseCaseError) {
    switch error {
    case .log(.timeGoesBack):
      self.init(.refused, "\(error.code): \(error)")
    case .log(let error):
      self.init(error)
    case .invalidInput(let error):
      self.init(.usage, "\(error)")
    case .uploadFailed, .storageFailed:
      self.init(.inputOutput, "\(error.code): \(error)")
    case .refused, .profileUpdateFailed:
      self.init(.refused, "\(error.code): \(error)")
    }
  }
}

extension Failure {
  /// An invalid path or expression, with a mark below the offending character.
  init(_ fault: StatePath.Fault, in text: String) {
    let near = suggestion(for: fault.found, among: fault.choices).map { "; did you mean '\($0)'?" }
    let choices =
      fault.choices.isEmpty ? "" : ": there are " + fault.choices.joined(separator: ", ")
    self.init(
      .usage, "character \(fault.offset + 1): \(fault.description)\(near ?? choices)",
      excerpt: (text, fault.offset))
  }
}

/// Converts an error of the log into the command's failure.
func failing<T: ~Copyable>(_ body: () throws(LogError) -> T) throws(Failure) -> T {
  do throws(LogError) {
    return try body()
  } catch {
    throw Failure(error)
  }
}

/// Asks, and converts an error of the log into the command's failure.
func asking<T: Sendable>(_ body: () async throws(LogError) -> T) async throws(Failure) -> T {
  do throws(LogError) {
    return try await body()
  } catch {
    throw Failure(error)
  }
}
