extension Invocation {
  /// Returns the revision in an option; HEAD if it is not given.
  func revision(_ option: String, in view: LogView) throws -> UInt64 {
    try position(option, in: view) ?? view.head().seq
  }

  /// Returns the revision in an option; nil if it is not given.
  func position(_ option: String, in view: LogView) throws -> UInt64? {
    try value(option).map { try Self.resolve($0, in: view) }
  }

  static func resolve(_ text: String, in view: LogView) throws -> UInt64 {
    guard let revision = Revision(text) else {
      throw Failure.usage(
        "\(quoted(text)) is not a revision: write 1234, HEAD, HEAD~3, @2026-01-31T12:00:00Z, 50%, "
          + "an event id or a bookmark")
    }
    return try revision.resolve(in: view)
  }

  /// Returns the range in the first argument; the whole log if there is none.
  func range(in view: LogView) throws -> (after: UInt64, until: UInt64) {
    guard let text = positionals.first else { return (0, try view.head().seq) }
    guard let range = RevisionRange(text) else {
      throw Failure.usage("\(quoted(text)) is not a revision or range A..B")
    }
    return (try range.from.resolve(in: view), try range.to.resolve(in: view))
  }
}

/// Returns the footer that names a table's revision.
func asOf(_ head: LogHead) -> String {
  head.seq == 0 ? "as of revision 0, the empty log" : "as of revision \(head.seq), \(head.time)"
}
