extension LogError: CustomStringConvertible {
  /// The error message for people, in one line: the fault, its place, and the next step for the
  /// reader.
  public var description: String {
    switch self {
    case .file(let error): error.description
    case .noSuchLog(let path): "\(path): no such log"
    case .notALog(let path, let reason): "\(path): not a log: \(reason)"
    case .rewritten(let path):
      "\(path): the log was rewritten since it was opened, to forget somebody; open it again"
    case .damaged(let damage): damage.description
    case .locked(let path, let holder):
      "\(path): another writer has this log open: \(holder); wait for it or stop it"
    case .closed(let reason):
      "the log accepts no more events after an earlier failure (\(reason)); open it again"
    case .conflict(let conflict): conflict.description
    case .idTaken(let id, let seq):
      "the log already has the id \(id), at seq \(seq), with different content"
    case .keyUsed(let use):
      "the command's key was used before, at position \(use.position); "
        + "use a new key for a new command"
    case .timeGoesBack(let last, let given):
      "the time \(given) is before that of the log's last event, \(last)"
    case .invalidEvent(let fault): "not an event: \(fault)"
    case .noSuchRevision(let reason): reason.description
    case .notImported(let file, let line, let reason): "\(file), line \(line): \(reason)"
    case .unknownType(let name, let version, let seq):
      "seq \(seq): unknown event type '\(printable(name))' version \(version)"
    case .store(let failure): failure.description
    }
  }
}

extension Damage: CustomStringConvertible {
  public var description: String {
    if line == 0 { return "\(file): \(fault)" }
    let place = seq > 0 ? "seq \(seq), offset \(offset)" : "offset \(offset)"
    return "\(file), line \(line) (\(place)): \(fault)"
  }
}

extension Conflict: CustomStringConvertible {
  public var description: String {
    let what = stream.map { "stream \($0)" } ?? "the log"
    let wanted =
      switch expected {
      case .any: "any revision"
      case .noStream: "no events"
      case .streamExists: "some events"
      case .exact(let revision): "\(revision)"
      }
    return "conflict: \(what) is at \(actual), expected \(wanted)"
  }
}

extension NoSuchRevision: CustomStringConvertible {
  public var description: String {
    switch self {
    case .beyondHead(let asked, let head): "revision \(asked) is beyond HEAD, which is \(head)"
    case .beforeStart(let back, let head):
      "HEAD~\(back) is before the beginning: HEAD is \(head)"
    case .noSuchEvent(let id): "no event has the id \(id)"
    case .noSuchBookmark(let name, let known):
      "'\(name)' is not a revision: write 1234, HEAD, HEAD~3, @2026-01-31T12:00:00Z, 50%, an event "
        + "id or a bookmark\(known.isEmpty ? "" : " (there are \(known.joined(separator: ", ")))")"
    case .foreignBookmark(let name):
      "the bookmark '\(name)' was set in another log, or this one has been replaced since"
    }
  }
}
