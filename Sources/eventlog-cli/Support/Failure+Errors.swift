#if SQLite || PostgreSQL
  import Mirroring
#endif
#if Server
  import Server
#endif

extension Failure {
  /// Converts an error of any type to the failure that ends the command.
  init(of error: any Error) {
    switch error {
    case let error as Failure: self = error
    case let error as LogError: self.init(error)
    case let error as FileError: self.init(.file(error))
    case let error as UseCaseError: self.init(error)
    case let error as SubscriptionError: self.init(error)
    case let error as BackupError: self.init(error)
    case let error as ForgettingError: self.init(error)
    #if SQLite || PostgreSQL
      case let error as MirrorFault: self.init(error)
    #endif
    #if Server
      case let error as AccountFault:
        self.init(error.isRefusal ? .usage : .inputOutput, error.description)
    #endif
    default: self.init(.software, "internal error, please report it: \(error)")
    }
  }

  /// Converts a log's error to a failure. The exit code follows the conventions of sysexits.h.
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
    if case .unknownType = error { message += "; skip such events with --unknown skip" }
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
    case .unreachable, .unknownOutcome, .refused, .unsafe, .notWriter: .inputOutput
    case .noLog: .noInput
    case .parted, .lost, .forgotten, .repaired, .damaged: .data
    case .isClone, .isNoClone: .usage
    }
  }

  init(_ error: UseCaseError) {
    switch error {
    case .log(let cause):
      if case .timeGoesBack = cause {
        self.init(.refused, "\(error.code): \(error)")
      } else {
        self.init(cause)
      }
    case .invalidInput(let error): self.init(.usage, "\(error)")
    case .uploadFailed, .storageFailed, .unreachable, .sessionEnded, .serverError, .incompatible,
      .cancelled, .offline, .upgradeRequired:
      self.init(.inputOutput, "\(error.code): \(error)")
    case .refused, .profileUpdateFailed: self.init(.refused, "\(error.code): \(error)")
    }
  }

  private init(_ error: SubscriptionError) {
    switch error {
    case .log(let cause): self.init(cause)
    case .position: self.init(.data, "\(error)")
    case .failed: self.init(.inputOutput, "\(error)")
    }
  }

  #if SQLite || PostgreSQL
    private init(_ error: MirrorFault) {
      switch error {
      case .unreachable(let reason), .lost(let reason): self.init(.inputOutput, reason)
      case .full(let reason):
        self.init(.inputOutput, "\(reason): free some space, and run this command again")
      case .refused(let reason): self.init(.data, reason)
      case .log(let cause): self.init(cause)
      }
    }
  #endif

  private init(_ error: BackupError) {
    switch error {
    case .log(let cause): self.init(cause)
    case .notABackup, .occupied, .inUse, .cannotMake: self.init(.cannotCreate, "\(error)")
    case .noBackup: self.init(.noInput, "\(error)")
    case .otherLog, .damaged: self.init(.data, "\(error)")
    case .within: self.init(.usage, "\(error)")
    case .neverStill: self.init(.inputOutput, "\(error)")
    }
  }

  private init(_ error: ForgettingError) {
    switch error {
    case .log(.unknownType(let name, let version, let seq)):
      self.init(
        .data,
        "seq \(seq): an event of unknown type '\(name)' version \(version) names a person to "
          + "forget; only a program that knows the type can forget in it")
    case .log(.conflict):
      self.init(
        .inputOutput, "others appended to the shared log meanwhile; nothing was changed: try again")
    case .log(let cause): self.init(cause)
    case .nobody, .nothing: self.init(.refused, "\(error)")
    case .reason, .service: self.init(.usage, "\(error)")
    case .photos: self.init(.inputOutput, "\(error)")
    }
  }

  /// Creates a failure for an invalid path or expression, with a mark below the wrong character.
  init(_ fault: StatePath.Fault, in text: String) {
    let near = didYouMean(fault.found, fault.choices, inSentence: true)
    let choices =
      fault.choices.isEmpty ? "" : ": there are " + fault.choices.joined(separator: ", ")
    self.init(
      .usage,
      "character \(fault.offset + 1): \(fault.description)\(near.isEmpty ? choices : near)",
      excerpt: (text, fault.offset))
  }
}
