/// Prints to standard error why the end of a log was not read, if it was not.
func noteTail(of view: LogView) {
  guard let segment = view.lastSegment else { return }
  switch view.tail {
  case .none, .unterminated: break
  case .torn(let bytes):
    Output.remark("note: \(segment): \(bytes) bytes after the last line are not read")
  case .unfinishedBatch(let events, _):
    Output.remark(
      "note: \(segment): the first \(events) events of an unfinished commit at the end are not read"
    )
  }
}

/// Returns the marks on a log's events; none for a format that does not show them. If their file
/// cannot be used, prints the reason to standard error, and returns no marks.
func readMarks(of view: LogView, for format: Format = .table) -> Marks {
  guard format == .table else { return Marks() }
  do throws(Marks.Fault) {
    return try Marks(of: view)
  } catch {
    Output.remark("note: \(sanitized("\(error)")); no marks are shown")
    return Marks()
  }
}

/// Prints to standard error how many events of each unknown type were skipped.
func noteSkipped(_ skipped: [UnknownType: Int]) {
  for (type, count) in skipped.sorted(by: { $0.key < $1.key }) {
    Output.remark(
      "note: skipped \(counted(count, "event")) of unknown type "
        + "\(type.name) version \(type.version)")
  }
}

/// Prints to standard error that a checkpoint was not used, and the reason.
func noteIgnored(_ path: String, _ fault: CheckpointFault) {
  Output.remark("note: \(path) \(fault); it is not used")
}

/// Prints to standard error the checkpoints that were not used. Some are found to be damaged only
/// when they are read.
func noteIgnored(_ states: [IgnoredState]) {
  for ignored in states { Output.remark("note: \(ignored); it is not used") }
}
