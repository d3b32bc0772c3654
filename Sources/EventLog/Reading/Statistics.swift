import Events

extension LogView {
  /// Counts of a log's events, bytes, segments and types.
  public struct Statistics: Equatable, Sendable {
    /// The number of events in the log.
    public var events = 0
    /// The number of bytes in all segments.
    public var bytes = 0
    /// The number of segments of the log.
    public var segments = 0
    /// The number of events of each type and version, including unknown ones.
    public var types: [UnknownType: Int] = [:]
    /// The time of the log's first event; nil for an empty log.
    public var first: Timestamp?
    /// The time of the log's last event; nil for an empty log.
    public var last: Timestamp?

    /// The types with their numbers of events; the type with the most events is first. Types with
    /// equal numbers are sorted by name and version.
    public var ranking: [(type: UnknownType, count: Int)] {
      types.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
    }
  }

  /// Counts a log's events by type, and checks every line's checksum.
  /// - Throws: `.damaged`, `.file`.
  /// - Complexity: O(bytes), about a gigabyte a second.
  public func statistics(
    progress: (Int, Int) -> Void = { _, _ in }
  ) throws(LogError) -> Statistics {
    var result = Statistics()
    var counts = EventType.allCases.map { [Int](repeating: 0, count: $0.version + 1) }
    var consumer = ChunkConsumer(after: LogHead(), unknown: .skip)
    for chunk in try chunks(after: 0, until: .max) {
      let chunk = try scan(chunk, wanted: .all)
      try consumer.join(chunk)
      guard let scan = chunk.after else { continue }
      if result.first == nil { result.first = scan.lines.first?.moment.time }
      for line in scan.lines {
        if let type = line.type { counts[Int(type.rawValue)][line.version] += 1 }
      }
      for (type, count) in scan.unknown { result.types[type, default: 0] += count }
      try consumer.finish(chunk)
      result.bytes += chunk.byteCount
      progress(result.bytes, size)
    }
    for type in EventType.allCases {
      for (index, count) in counts[Int(type.rawValue)].enumerated() where count > 0 {
        result.types[UnknownType(name: type.name, version: index)] = count
      }
    }
    result.events = Int(consumer.head.seq)
    result.segments = segments.count
    result.last = consumer.head.seq > 0 ? consumer.head.time : nil
    return result
  }
}

extension UnknownType: Comparable {
  /// Orders types by name, then by version.
  public static func < (a: Self, b: Self) -> Bool { (a.name, a.version) < (b.name, b.version) }
}
