import Events

extension LogView {
  /// What a verification found, if everything is in order.
  public struct Verification: Equatable, Sendable {
    public var head = LogHead()
    public var bytes = 0
    public var segments = 0
    public var streams = 0
    /// Unknown types and versions, and how often each occurs; not those of apps.
    public var unknown: [UnknownType: Int] = [:]
  }

  /// Checks everything that can be checked in a log: each sum, position, time, revision, stream and
  /// batch, and each line by the strict parser.
  ///
  /// Reads on several threads at once. If anything looks wrong, it starts again from the beginning,
  /// line by line on one thread, and only what that finds counts.
  /// - Parameters:
  ///   - jobs: how many threads; at least 1.
  ///   - progress: called with the bytes done and the bytes in all, on any thread.
  /// - Throws: `.damaged` at the first line that is wrong; `.file`.
  /// - Complexity: O(bytes), about 0.7 microseconds of processor time a line, and four more from
  ///   the beginning to a line that is wrong; memory O(events), 12 bytes each.
  public func verify(
    jobs: Int = 2, progress: @Sendable (Int, Int) -> Void = { _, _ in }
  ) throws(LogError) -> Verification {
    let key = UInt64.random(in: 0..<StreamRevisions.prime)
    let found = try verify(jobs: jobs, key: key, chunkSize: Self.chunkSize, progress)
    if let found { return found }
    return try verifyInOrder(progress: progress)
  }

  /// The same on one thread, line by line.
  func verifyInOrder(
    progress: (Int, Int) -> Void = { _, _ in }
  ) throws(LogError) -> Verification {
    let found = try verifyLines { progress($0, size) }
    try checkEmptySegment(after: found.head)
    return Verification(
      head: found.head, bytes: found.bytes, segments: segments.count, streams: found.streams,
      unknown: found.unknown)
  }

  /// Who has the log open for writing, by its lock file; nil if nobody has.
  public func writer() -> String? {
    guard case .files(let files, _) = source, let file = try? files.open(path + "/lock", .read)
    else {
      return nil
    }
    defer { try? files.close(file, path) }
    guard (try? files.isLocked(file, path)) == true else { return nil }
    var text = [UInt8](repeating: 0, count: 200)
    let length = (try? files.read(file, &text, text.count, 0, path)) ?? 0
    return printable(String(decoding: text.prefix(length).filter { $0 != 0x0a }, as: UTF8.self))
  }
}
