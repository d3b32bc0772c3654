extension Subcommand {
  static let verify = Subcommand(
    name: "verify", summary: "Check every sum, position, time, revision and line of a log",
    discussion: """
      Reads the whole log strictly and stops at the first line that is wrong, naming file, line, \
      offset and position. Exit 65 on damage, and on an unfinished tail that no live writer \
      explains, and if the file rules.json cannot be read. A lone file or standard input is \
      checked for form.

      With --photos also names each photo that a profile or a workout has and that is not in \
      storage, exit 65, and each file that none of them names. Such a file is removed after an \
      hour by serve and by janitor.

      What no check of one log can show is that whole commits are missing from its end.
      """,
    options: [
      .log, .flag("--photos", "Check the photos, too."),
      .value(
        "--photo-folder", "FOLDER", "Where photos are stored; photos in the log if not given."),
      .rules, .unknown, .cold, .format,
    ],
    examples: [
      "eventlog verify --log my.log": "Is it all there?",
      "eventlog verify --photos --log my.log": "Are the photos there?",
    ],
    run: { invocation in
      if invocation.value("--photo-folder") != nil, !invocation.flag("--photos") {
        throw Failure.usage("--photo-folder is for --photos")
      }
      try runVerify(invocation)
      if invocation.flag("--photos") { try await verifyPhotos(invocation) }
    })
}

/// Compares the photos that profiles and workouts name with the files in the folder of photos.
private func verifyPhotos(_ invocation: Invocation) async throws {
  let format = try invocation.format()
  let folder = invocation.value("--photo-folder") ?? invocation.readPath + "/photos"
  let core = try await invocation.openCoreForReading(follows: false)
  // Listed before the files: a photo is stored before an event names it.
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
    .text("time", "LAST TIME"), .text("sum", "SUM OF ALL"),
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

/// Rules that cannot be read, or that were recorded after the log's last event, are damage.
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

/// An incomplete last line is fine while somebody is writing; otherwise a crash left it.
private func checkTail(of view: LogView) throws {
  guard view.tail != .none, let segment = view.lastSegment else { return }
  let what =
    switch view.tail {
    case .none: ""
    case .unterminated: "the last line lacks its line feed; the next writer adds it"
    case .torn(let bytes):
      "\(bytes) bytes after the last line (at offset \(view.lastSegmentSize)) are no event; the "
        + "next writer cuts them off and keeps them in recovered/"
    case .unfinishedBatch(let events, _):
      "the first \(events) events of a commit (at offset \(view.lastSegmentSize)) lack the rest; "
        + "the next writer cuts them off and keeps them in recovered/"
    }
  if let writer = view.writer() {
    Output.remark("note: \(segment): \(what) (a writer is at work: \(writer))")
  } else {
    throw Failure(.data, "\(segment): \(what)")
  }
}
