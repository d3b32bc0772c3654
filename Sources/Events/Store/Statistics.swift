extension LogView {
  /// Counts of the events in a log.
  public struct Statistics: Equatable, Sendable {
    public var events = 0
    public var bytes = 0
    public var segments = 0
    /// Events by type and version; unknown ones too.
    public var types: [UnknownType: Int] = [:]
    public var first: Timestamp?
    public var last: Timestamp?

    /// The types with how many events each has, most first, ties by name and version.
    public var ranking: [(type: UnknownType, count: Int)] {
      types.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
    }
  }

  /// Counts events by type; verifies sums on the way.
  /// - Throws: `.damaged`, `.file`.
  /// - Complexity: O(bytes), about a gigabyte a second.
  public func statistics(
    progress: (Int, Int) -> Void = { _, _ in }
  ) throws(LogError) -> Statistics {
    var result = Statistics()
    var counts = [Int](repeating: 0, count: EventType.allCases.count)
    var consumer = ChunkConsumer(after: LogHead(), unknown: .skip)
    var parser = LineParser()
    var names = Names()
    for chunk in try chunks(after: 0, until: .max) {
      let chunk = try scan(chunk, wanted: .all)
      try consumer.join(chunk)
      guard let scan = chunk.after else { continue }
      if result.first == nil { result.first = scan.lines.first?.moment.time }
      try chunk.forEachLine { (line, bytes, head) throws(LogError) in
        guard let type = line.type else { return }
        // A line in another layout may have an older version.
        let version =
          head == nil ? (try? parser.parse(bytes, names: &names).line.version) ?? nil : nil
        if let version, version != type.version {
          result.types[UnknownType(name: type.name, version: version), default: 0] += 1
        } else {
          counts[Int(type.rawValue)] += 1
        }
      }
      for (type, count) in scan.unknown { result.types[type, default: 0] += count }
      try consumer.finish(chunk)
      result.bytes += chunk.byteCount
      progress(result.bytes, size)
    }
    for type in EventType.allCases where counts[Int(type.rawValue)] > 0 {
      let name = UnknownType(name: type.name, version: type.version)
      result.types[name] = counts[Int(type.rawValue)]
    }
    result.events = Int(consumer.head.seq)
    result.segments = segments.count
    result.last = consumer.head.seq > 0 ? consumer.head.time : nil
    return result
  }
}

extension UnknownType: Comparable {
  /// By name, then by version.
  public static func < (a: Self, b: Self) -> Bool { (a.name, a.version) < (b.name, b.version) }
}
