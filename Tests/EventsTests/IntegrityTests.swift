import Testing

@testable import Events

/// faults 24 and 25: whatever is changed in a sealed log is found, by every way of reading it.
@Suite struct IntegrityTests {
  private let names = (1...2).map { _ in "" }

  /// Two segments of a few lines each.
  private func makeLog() async throws -> (
    folder: Folder, segments: [(name: String, bytes: [UInt8])]
  ) {
    let folder = Folder()
    let log = try FileLog(
      path: folder.log, creating: true, segmentSize: 1_400, surroundings: Laboratory().surroundings)
    for number in 0..<8 { try await log.append(Commit([follow("a", "n\(number)")])) }
    try await log.append(Commit([follow("b", "x"), unfollow("a", "n1")]))
    let segments = folder.names("log").filter { $0.hasSuffix(".jsonl") }
      .map { (name: "log/" + $0, bytes: folder.read("log/" + $0)) }
    #expect(segments.count == 2)
    return (folder, segments)
  }

  /// Whether a cold read with these types finds the damage, in chunks of every size.
  private func isFound(_ folder: Folder, _ wanted: EventTypes, chunkSize: Int) -> Bool {
    do {
      let view = try LogView(path: folder.log)
      guard view.tail == .none else { return true }
      let chunks = try LogChunks(view, chunkSize: chunkSize)
      var consumer = ChunkConsumer(after: LogHead())
      var names = Names()
      for index in chunks.indices {
        try consumer.consume(try chunks.scan(index, wanted: wanted), &names) { _, _ in }
      }
      return consumer.head.seq != 10
    } catch {
      return true
    }
  }

  private func isVerified(_ folder: Folder) -> Bool {
    guard let view = try? LogView(path: folder.log), view.tail == .none,
      let result = try? view.verify()
    else { return false }
    return result.head.seq == 10
  }

  @Test("faults 24: every single flipped bit is found")
  func flips() async throws {
    let (folder, segments) = try await makeLog()
    #expect(isVerified(folder))
    for (name, bytes) in segments {
      for index in bytes.indices {
        for bit in 0..<8 {
          var flipped = bytes
          flipped[index] ^= 1 << UInt8(bit)
          folder.write(name, flipped)
          // Each way for one bit in eight: all bits of a byte take the same paths.
          let isMissed =
            switch (index + bit) % 8 {
            case 0: isVerified(folder)
            case 1: !isFound(folder, .all, chunkSize: 512 << 10)
            case 2: !isFound(folder, [.accountDeleted], chunkSize: 100)
            default: !isFound(folder, [.userFollowed], chunkSize: 512 << 10)
            }
          #expect(!isMissed, "\(name), byte \(index), bit \(bit)")
        }
      }
      folder.write(name, bytes)
    }
  }

  @Test("faults 25: a line deleted, doubled or swapped is found and named")
  func lines() async throws {
    let (folder, segments) = try await makeLog()
    for (which, (name, bytes)) in segments.enumerated() {
      let lines = bytes.split(separator: 0x0a).map { Array($0) + [0x0a] }
      for index in lines.indices {
        var variants: [[[UInt8]]] = []
        if which == 0 || index < lines.count - 1 {
          var deleted = lines
          deleted.remove(at: index)
          variants.append(deleted)
        }
        var doubled = lines
        doubled.insert(lines[index], at: index)
        variants.append(doubled)
        if index + 1 < lines.count {
          var swapped = lines
          swapped.swapAt(index, index + 1)
          variants.append(swapped)
        }
        for variant in variants {
          folder.write(name, Array(variant.joined()))
          #expect(!isVerified(folder), "\(name), line \(index + 1)")
          for size in [64, 700, 512 << 10] {
            #expect(isFound(folder, .all, chunkSize: size), "\(name), line \(index + 1), \(size)")
          }
        }
      }
      folder.write(name, bytes)
    }
  }

  @Test("Whatever the size of the chunks, the events are the same")
  func chunkSizes() async throws {
    let (folder, _) = try await makeLog()
    func events(_ size: Int) throws -> [String] {
      let chunks = try LogChunks(try LogView(path: folder.log), chunkSize: size)
      var consumer = ChunkConsumer(after: LogHead())
      var names = Names()
      var result: [String] = []
      for index in chunks.indices {
        let chunk = try chunks.scan(index, wanted: .all)
        try consumer.consume(chunk, &names) { event, moment in
          result.append("\(moment.seq) \(moment.time) \(event.type)")
        }
      }
      return result
    }
    let whole = try events(512 << 10)
    #expect(whole.count == 10)
    for size in 1...400 { #expect(try events(size) == whole, "chunks of \(size)") }
    for size in [1_000, 1_399, 1_400, 1_401, 5_000] { #expect(try events(size) == whole) }
  }

  @Test("Any line, any time and any range is found by searching as by reading")
  func seeking() async throws {
    let folder = Folder()
    let log = try FileLog(path: folder.log, creating: true, segmentSize: 9_000)
    var random = Seeded(11)
    var time: Int64 = 1_767_225_600_000
    for number in 0..<300 {
      time += Int64.random(in: 0...2, using: &random) * 500
      var event = follow(
        "a", "n\(number)" + String(repeating: "x", count: Int.random(in: 0...90, using: &random)))
      event.time = Timestamp(milliseconds: time)
      try await log.append(Commit([event]))
    }
    let view = try LogView(path: folder.log)
    let events = try await log.events()
    #expect(events.count == 300)
    for event in events {
      #expect(try view.line(at: event.seq)?.event == event)
      for offset in [-1, 0, 1] as [Int64] {
        let moment = Timestamp(milliseconds: event.time.milliseconds + offset)
        let expected = events.last { $0.time <= moment }?.seq ?? 0
        #expect(try view.position(at: moment) == expected)
      }
    }
    #expect(try view.line(at: 0) == nil)
    #expect(try view.line(at: 301) == nil)
    for from in stride(from: UInt64(0), through: 300, by: 37) {
      for to in stride(from: from, through: 300, by: 29) {
        var found: [UInt64] = []
        try view.forEachLine(after: from, until: to) { line in
          found.append(line.event.seq)
          return true
        }
        #expect(found == Array(from + 1..<to + 1), "\(from)..\(to)")
      }
    }
  }
}
