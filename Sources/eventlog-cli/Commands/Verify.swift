extension Subcommand {
  static let verify = Subcommand(
    name: "verify", summary: "Check every line of a log: checksum, position, time, revision",
    discussion: """
      Reads the whole log and stops at the first wrong line, with its file, line, offset and \
      position. Exit 65 if there is damage, if the end is incomplete while no writer has the log \
      open, or if the file rules.json cannot be read. Of a lone file or standard input, only the \
      form is checked.

      With --photos, also lists each photo that a profile or a workout names and that is not in \
      storage (exit 65), and each file that none of them names. 'serve' and 'janitor' delete such \
      a file after an hour.

      No check of a single log can show that whole commits are missing from its end.
      """,
    options: [
      .log, .flag("--photos", "Also check the photos."),
      .value(
        "--photo-folder", "FOLDER",
        "The folder of the photos; the folder photos in the log if not given."),
      .rules, .unknown, .cold, .format,
    ],
    examples: [
      "eventlog verify --log my.log": "Check the whole log.",
      "eventlog verify --photos --log my.log": "Check the log and its photos.",
    ],
    run: { invocation in
      if invocation.value("--photo-folder") != nil, !invocation.flag("--photos") {
        throw Failure.usage("--photo-folder needs --photos")
      }
      try runVerify(invocation)
      if invocation.flag("--photos") { try await verifyPhotos(invocation) }
    })
}

/// Compares the photos that profiles and workouts name with the files in the photo folder.
private func verifyPhotos(_ invocation: Invocation) async throws {
  let format = try invocation.format()
  let folder = invocation.value("--photo-folder") ?? invocation.readPath + "/photos"
  let core = try await invocation.openCoreForReading(follows: false)
  // Lists the named photos before the files, because a photo is stored before an event names it.
  let named = try await core.namedPhotos()
  let files = Set(
    try FileSystem.posix.tree(folder, skipping: { $0.hasSuffix(".tmp") }).map(\.path))
  var rows = Rows([.text("photo"), .text("state"), .text("of")])
  let missing = named.filter { !files.contains($0.path) }
  for photo in missing { rows.add([.text(photo.path), .text("missing"), .text(photo.of)]) }
  let known = Set(named.map(\.path))
  let orphaned = files.filter { !known.contains($0) }.sorted()
  for path in orphaned { rows.add([.text(path), .text("orphaned"), .null]) }
  let counts =
    "\(counted(files.count, "photo")): \(missing.count) missing, \(orphaned.count) orphaned"
  rows.write(format, footer: counts)
  if !missing.isEmpty {
    throw Failure(.data, "\(folder): \(counted(missing.count, "photo")) missing")
  }
}

private func runVerify(_ invocation: Invocation) throws {
  let format = try invocation.format()
  let view = try invocation.openLog()
  let bar = Progress(label: "verifying", total: view.size, unit: "bytes")
  let result = try view.verify(jobs: coreCount()) { done, _ in bar.update(done) }
  bar.finish()
  try checkTail(of: view)
  try checkRules(of: view, result.head, invocation)
  var rows = Rows([
    .number("events"), .number("streams"), .number("segments"), .number("bytes"),
    .text("time", "LAST TIME"), .text("sum", "CHECKSUM"),
  ])
  let isEmpty = result.head.seq == 0
  rows.add([
    .int(Int(result.head.seq)), .int(result.streams), .int(result.segments), .int(result.bytes),
    isEmpty ? .null : .text("\(result.head.time)"),
    isEmpty ? .null : .sum(result.head.sum),
  ])
  rows.write(format, footer: "verified: nothing is wrong")
  for (type, count) in result.unknown.sorted(by: { $0.key < $1.key }) {
    Output.remark(
      "note: \(counted(count, "event")) of unknown type \(type.name) version \(type.version)")
  }
}

/// Throws if the log's recorded rules cannot be read, or were recorded after the log's last event.
private func checkRules(
  of view: LogView, _ head: LogHead, _ invocation: Invocation
) throws {
  guard let last = try invocation.recordedRules()?.changes.last, last.after > head.seq else {
    return
  }
  let source = view.path + "/" + RecordedRules.fileName
  throw LogError.store(
    StoreFailure(RulesRefusal.beyondHead(source, after: last.after, head: head.seq)))
}

/// Throws if the log's end is incomplete and no writer has the log open.
private func checkTail(of view: LogView) throws {
  guard view.tail != .none, let segment = view.lastSegment else { return }
  let what =
    switch view.tail {
    case .none: ""
    case .unterminated: "the last line lacks its line feed; the next writer adds it"
    case .torn(let bytes):
      "\(bytes) bytes after the last line (at offset \(view.lastSegmentSize)) are not an event; "
        + "the next writer moves them to recovered/"
    case .unfinishedBatch(let events, _):
      "only the first \(events) events of a commit (at offset \(view.lastSegmentSize)) are there; "
        + "the next writer moves them to recovered/"
    }
  if let writer = view.writer() {
    Output.remark("note: \(segment): \(what) (a writer has the log open: \(writer))")
  } else {
    throw Failure(.data, "\(segment): \(what)")
  }
}
