#if PostgreSQL
  import CPostgreSQL
  import EventLog
  import Events
  import Foundation
  import PostgreSQL

  // The cost of appending to a shared log, beside bare statements on the same server.
  // `Tests/Benchmarks/shared` runs it. Rounds are interleaved; medians count.
  //
  // usage: shared ADDRESS CONNECTION FOLDER SINGLES ROUNDS [fill EVENTS]

  let arguments = CommandLine.arguments
  guard arguments.count >= 6, let singles = Int(arguments[4]), let rounds = Int(arguments[5]) else {
    print("usage: shared ADDRESS CONNECTION FOLDER SINGLES ROUNDS [fill EVENTS]")
    exit(64)
  }
  let folder = arguments[3]
  let clock = ContinuousClock()

  /// A libpq connection.
  struct Bare {
    let handle: OpaquePointer?

    init(_ text: String) {
      handle = PQconnectdb(text)
      guard PQstatus(handle) == CONNECTION_OK else {
        fail("\(String(cString: PQerrorMessage(handle)))")
      }
    }

    func run(_ text: String) {
      let result = PQexec(handle, text)
      defer { PQclear(result) }
      let status = PQresultStatus(result)
      guard status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_COPY_IN
      else {
        fail("\(text): \(String(cString: PQerrorMessage(handle)))")
      }
    }

    /// Inserts one row, with its bytes in binary form.
    func insert(_ position: Int64, _ line: [UInt8]) {
      let number = withUnsafeBytes(of: position.bigEndian) { $0.map { CChar(bitPattern: $0) } }
      let text = line.map { CChar(bitPattern: $0) }
      let status = number.withUnsafeBufferPointer { number in
        text.withUnsafeBufferPointer { text in
          let result = PQexecParams(
            handle, "INSERT INTO bare VALUES ($1, $2)", 2, [20, 17],
            [number.baseAddress, text.baseAddress], [8, Int32(text.count)], [1, 1], 1)
          defer { PQclear(result) }
          return PQresultStatus(result)
        }
      }
      guard status == PGRES_COMMAND_OK else { fail(String(cString: PQerrorMessage(handle))) }
    }

    /// Copies rows as a binary stream; a row is its columns.
    func copy(_ into: String, _ rows: [[[UInt8]]]) {
      var bytes = Array("PGCOPY\n".utf8) + [0xff, 0x0d, 0x0a, 0] + [UInt8](repeating: 0, count: 8)
      for row in rows {
        bytes += big(Int16(row.count))
        for column in row { bytes += big(Int32(column.count)) + column }
      }
      bytes += big(Int16(-1))
      run("COPY \(into) FROM STDIN (FORMAT binary)")
      let sent = bytes.withUnsafeBytes { raw in
        PQputCopyData(
          handle, raw.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(raw.count))
      }
      guard sent == 1, PQputCopyEnd(handle, nil) == 1 else { fail("COPY was not sent") }
      while let result = PQgetResult(handle) {
        let status = PQresultStatus(result)
        PQclear(result)
        if status != PGRES_COMMAND_OK { fail(String(cString: PQerrorMessage(handle))) }
      }
    }
  }

  func fail(_ reason: String) -> Never {
    print(reason)
    exit(1)
  }

  func big(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { Array($0) }
  }

  func seconds(_ body: () async throws -> Void) async throws -> Double {
    let start = clock.now
    try await body()
    return (clock.now - start) / .seconds(1)
  }

  /// Sealed lines that follow each other, as a clone would make them.
  struct Lines: CommitIndex {
    var head = LogHead()
    private var streams = 0

    // Each line is the first of a stream.
    func revision(of stream: String) -> UInt64 { 0 }
    func find(_ id: EventID) -> RecordedEvent? { nil }
    func use(of tail: UInt64) -> KeyUse? { nil }

    mutating func next(_ count: Int) throws -> RemoteBatch {
      let (seq, sum) = (head.seq, head.sum)
      var lines: [RemoteBatch.Line] = []
      for _ in 0..<count {
        streams += 1
        var names = Names()
        // Neighbours in a log are about different people.
        let one = try names.user("u\((streams &* 7_919) % 1_000_003)")
        let other = try names.user("star\(streams)")
        let event = NewEvent(
          .follow(.followed(Follow(follower: one, followee: other))), actor: names[one],
          names: names)
        guard case .append(let recorded) = try CommitPlan.make(Commit([event]), &self, .system)
        else { fail("nothing to append") }
        let line = SealedLine(sealing: recorded[0], after: head.sum)
        head = LogHead(line.event)
        lines.append(
          RemoteBatch.Line(
            bytes: line.bytes, stream: line.event.stream, revision: line.event.rev,
            id: line.event.id, sum: line.event.sum))
      }
      return RemoteBatch(after: seq, sum, lines)
    }
  }

  var found: [String: [Double]] = [:]
  @MainActor func note(_ name: String, _ seconds: Double, per count: Int) {
    found[name, default: []].append(seconds / Double(count))
  }

  let remote = PostgresRemote(try PostgresAddress(arguments[1]))
  try await remote.prepare()
  let bare = Bare(arguments[2])
  var lines = Lines()

  /// The time of an append, for a caller on any thread but the main one.
  @concurrent func appended(_ batch: RemoteBatch, _ remote: PostgresRemote) async throws -> Double {
    try await seconds {
      guard try await remote.append(batch) == .appended else { fail("somebody else appends") }
    }
  }
  @concurrent func appended(_ commit: Commit, _ log: FileLog) async throws -> Double {
    try await seconds { try await log.append(commit) }
  }

  if arguments.count == 8, let total = Int(arguments[7]) {
    // The time per event as the table grows.
    print("rows\tus an event, batches of 4,000\tms a single append")
    var part = 0.0
    var next = 0
    while lines.head.seq < total {
      let batch = try lines.next(4_000)
      part += try await appended(batch, remote)
      next += 1
      guard next == max(1, total / 40_000) else { continue }
      var single: [Double] = []
      for _ in 0..<50 {
        let one = try lines.next(1)
        single.append(try await appended(one, remote))
      }
      print(
        lines.head.seq, String(format: "%.1f", part / Double(next) / 4_000 * 1e6),
        String(format: "%.2f", single.sorted()[25] * 1e3), separator: "\t")
      (part, next) = (0, 0)
    }
    exit(0)
  }

  for _ in 0..<rounds {
    bare.run(
      """
      DROP TABLE IF EXISTS bare; DROP TABLE IF EXISTS same;
      CREATE TABLE bare (position bigint PRIMARY KEY, line bytea NOT NULL);
      CREATE TABLE same (
        position bigint PRIMARY KEY, stream text COLLATE "C" NOT NULL, revision bigint NOT NULL,
        id uuid NOT NULL UNIQUE, sum bigint NOT NULL, line bytea NOT NULL,
        UNIQUE (stream, revision))
      """)
    var position: Int64 = 0
    // One by one, in turns, so that other work on the machine affects both.
    for _ in 0..<singles {
      let batch = try lines.next(1)
      position += 1
      let line = batch.lines[0].bytes
      note("bare INSERT", try await seconds { bare.insert(position, line) }, per: 1)
      note("append", try await appended(batch, remote), per: 1)
    }
    for (size, times) in [(100, 20), (4_000, 5)] {
      for _ in 0..<times {
        let batch = try lines.next(size)
        let rows = batch.lines.enumerated().map { offset, line in
          [
            big(Int64(position) + Int64(offset) + 1), Array(line.stream.utf8),
            big(Int64(line.revision)), big(line.id.high) + big(line.id.low), big(line.sum),
            line.bytes,
          ]
        }
        position += Int64(size)
        note(
          "COPY \(size), lines only",
          try await seconds { bare.copy("bare", rows.map { [$0[0], $0[5]] }) }, per: size)
        note("COPY \(size), same table", try await seconds { bare.copy("same", rows) }, per: size)
        note("append \(size)", try await appended(batch, remote), per: size)
      }
    }
  }

  // Through a clone, like an app.
  let path = folder + "/clone"
  let log = try await FileLog.clone(remote, address: arguments[1], to: path)
  func follow(_ number: Int) throws -> Commit {
    var names = Names()
    let edge = Follow(follower: try names.user("c\(number)"), followee: try names.user("star"))
    return Commit([NewEvent(.follow(.followed(edge)), actor: "c\(number)", names: names)])
  }
  var number = 0
  for _ in 0..<rounds {
    for _ in 0..<singles {
      number += 1
      let commit = try follow(number)
      note("clone, one caller", try await appended(commit, log), per: 1)
    }
    let first = number
    number += singles * 4
    note(
      "clone, 16 callers",
      try await seconds {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for caller in 0..<16 {
            group.addTask {
              for index in stride(from: caller, to: singles * 4, by: 16) {
                try await log.append(try follow(first + index))
              }
            }
          }
          try await group.waitForAll()
        }
      }, per: singles * 4)
  }

  // The delay of a clone that is followed.
  let copy = try await FileLog.clone(
    PostgresRemote(try PostgresAddress(arguments[1])), address: arguments[1],
    to: folder + "/copy")
  guard let changes = copy.changes() else { fail("it is no clone") }
  for _ in 0..<(singles / 4) {
    number += 1
    let last = try await log.append(try follow(number)).last
    note(
      "lag of a copy",
      try await seconds {
        for await _ in changes where await copy.head() >= last { break }
      }, per: 1)
  }

  @MainActor func median(_ name: String) -> Double {
    let values = (found[name] ?? [0]).sorted()
    return values[values.count / 2]
  }
  @MainActor func show(_ name: String, beside other: String? = nil) {
    let value = median(name)
    var text = name.padding(toLength: 26, withPad: " ", startingAt: 0)
    text += String(format: "%9.3f ms %12.0f a second", value * 1e3, 1 / value)
    if let other { text += String(format: "   %.2f x %@", value / median(other), other) }
    print(text)
  }
  show("bare INSERT")
  show("append", beside: "bare INSERT")
  show("clone, one caller", beside: "bare INSERT")
  for size in [100, 4_000] {
    show("COPY \(size), lines only")
    show("COPY \(size), same table")
    show("append \(size)", beside: "COPY \(size), same table")
    show("append \(size)", beside: "COPY \(size), lines only")
  }
  show("clone, 16 callers", beside: "clone, one caller")
  show("lag of a copy")
#else
  print("shared needs --traits PostgreSQL")
#endif
