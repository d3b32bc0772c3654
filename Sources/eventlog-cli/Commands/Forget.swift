#if Server
  import Server
#endif

extension Subcommand {
  static let forget = Subcommand(
    name: "forget", summary: "Forget people: erase names, texts and photos, keep every event",
    arguments: "[USER…]", positionals: 0...10_000,
    discussion: """
      Writes the log again without the data of these people. Every event stays, with its position, \
      time, type and revision. Ids and handles become pseudonyms, a placeholder replaces texts, \
      and photos are deleted. An open account is deleted first. Counts and answers about everybody \
      else stay as they were, at every revision. The folder holds the old log until the new one is \
      complete. Checkpoints and recovered bytes of the old log are deleted.

      Nobody may be writing to the log: stop its server, or ask the server to forget (POST \
      /v1/forget). On a terminal the command asks before it begins. The file rewritings in the \
      log's folder records each forgetting, without names. docs/forgetting.md says what to do \
      about backups.
      """,
    options: [
      .log,
      .value(
        "--texts-of", "ITEM",
        "Erase one item's texts: comment/C, workout/W, message/M, group/G, report/R, profile/U.",
        repeats: true),
      .flag("--mentions", "Also change other people's texts that contain a handle as a word."),
      .flag("--dry-run", "Show what would change, and change nothing."),
      .flag("--yes", "Do not ask for confirmation."),
      .value("--reason", "TEXT", "The reason, for the ledger; it must name nobody."), .rules,
      .photos,
      .value(
        "--ledger-key", "FILE",
        "A secret of 32 bytes or more; with it the ledger marks the people, for --again."),
      .flag("--again", "Forget the people that the ledger marks; for a restored backup."),
      .value(
        "--accounts", "FILE", "Also remove these people's accounts of 'eventlog serve' from FILE."),
      .value(
        "--ledger", "FILE", "The ledger for --again; the log's file rewritings if not given."),
      .unknown, .jobs, .format,
    ],
    examples: [
      "eventlog forget ann --log my.log --dry-run": "Show what would change.",
      "eventlog forget ann ben --log my.log --yes --ledger-key secret":
        "Forget two people, and mark them for restored backups.",
      "eventlog forget --texts-of comment/c17 --log my.log": "Erase one text.",
    ],
    run: { try await runForget($0) })
}

private func runForget(_ invocation: Invocation) async throws {
  let format = try invocation.format()
  var request = ForgettingRequest(people: invocation.positionals)
  for text in invocation.values("--texts-of") {
    guard let item = ForgettingRequest.Item(text) else {
      throw Failure.usage(
        "--texts-of takes an item such as comment/c17 or workout/w1, not \(quoted(text))")
    }
    request.items.append(item)
  }
  for id in request.people where !isValidID(id.utf8) {
    throw Failure.usage("\(quoted(id)) cannot be the id of a user")
  }
  request.changesMentions = invocation.flag("--mentions")
  request.reason = invocation.value("--reason") ?? ""
  let path = try invocation.writePath()
  let mark = try ledgerMarks(invocation)
  let removeAccounts = try accountRemoval(invocation)
  let isAgain = invocation.flag("--again")
  if isAgain {
    guard request.people.isEmpty, request.items.isEmpty else {
      throw Failure.usage("--again reads the people to forget from the ledger; do not name any")
    }
    guard mark != nil else {
      throw Failure.usage(
        "--again needs the secret that the marks were made with: --ledger-key FILE")
    }
  } else if request.people.isEmpty, request.items.isEmpty {
    throw Failure.usage("name the users to forget: eventlog forget USER --log \(path)")
  }
  let rules = try invocation.rules()
  let remote = try invocation.remote(of: path)
  let photos = invocation.photoPorts().storage
  let forgetting = try await Forgetting.open(
    path: path, remote: remote, rules: rules, photos: photos)
  if let recovery = forgetting.recovery { Output.remark("recovered: \(recovery)") }
  let ledger = invocation.value("--ledger") ?? path + "/rewritings"
  if isAgain, let mark {
    let entries = try Rewritings(path: ledger).entries
    let known = Set(entries.flatMap(\.marks))
    let found = try forgetting.request { known.contains(mark($0)) }
    if (try? FileSystem.posix.status(ledger)) == nil {
      throw Failure(.noInput, "\(ledger): there is no such ledger; name one with --ledger FILE")
    }
    if found.people.isEmpty, found.items.isEmpty {
      Output.remark("the ledger \(ledger) marks nobody in \(path): there is nothing to forget")
      return
    }
    (request.people, request.items) = (found.people, found.items)
    if entries.contains(where: \.changesMentions) { request.changesMentions = true }
  }
  if let mark { request.marks = request.subjects.map(mark) }
  if try await forget(request, forgetting, invocation, format) {
    try removeAccounts(request.people)
  }
}

/// Returns a function that removes the accounts of people from the file in `--accounts`. It does
/// nothing without this option: the server that has the file then removes them when it starts.
private func accountRemoval(
  _ invocation: Invocation
) throws -> ([String]) throws -> Void {
  guard let path = invocation.value("--accounts") else { return { _ in } }
  #if Server
    _ = try FileSystem.posix.status(path)
    let file = try AccountFile(path)
    return { people in
      for person in people { try file.remove(person, now: RuntimeEnvironment.system.now()) }
    }
  #else
    throw Failure.usage("--accounts \(quoted(path)): \(withoutServer)")
  #endif
}

/// Returns a function that computes marks with the key in `--ledger-key`; nil without this option.
/// A mark is a keyed hash of a text such as `person/ann`. The ledger stores marks, not names.
private func ledgerMarks(
  _ invocation: Invocation
) throws(Failure) -> (@Sendable (String) -> String)? {
  guard let path = invocation.value("--ledger-key") else { return nil }
  #if Server
    do throws(LedgerMarks.Fault) {
      return try LedgerMarks(keyFile: path).mark
    } catch {
      throw .usage("--ledger-key: \(error.message)")
    }
  #else
    throw .usage("--ledger-key \(quoted(path)): \(withoutServer)")
  #endif
}

/// Erases people and items, and returns whether they are erased now: not after `--dry-run`.
private func forget(
  _ request: ForgettingRequest, _ forgetting: Forgetting, _ invocation: Invocation,
  _ format: Format
) async throws -> Bool {
  let jobs = try invocation.jobs()
  let unknown = try invocation.unknownPolicy()
  let reading = Progress(label: "reading", total: 2 * forgetting.size, unit: "bytes")
  let prepared = try await forgetting.prepare(request, unknown: unknown, jobs: jobs) {
    reading.update($0)
  }
  reading.finish()
  if prepared.report.first == nil {
    Output.remark("everything is forgotten already; nothing was changed")
    return true
  }
  show(prepared.report, format, mentionsStay: !request.changesMentions)
  let what = summary(prepared.report, request)
  if invocation.flag("--dry-run") {
    Output.remark("would forget \(what); nothing was changed")
    return false
  }
  if !invocation.flag("--yes"), isatty(STDIN_FILENO) == 1 {
    guard Terminal.isErrorTTY else {
      throw Failure.usage(
        "cannot ask for confirmation while standard error is redirected: add --yes")
    }
    Output.error("eventlog: this forgets \(what) and cannot be undone. Continue? [y/N] ")
    guard let answer = readLine(), ["y", "yes"].contains(answer.lowercased()) else {
      throw Failure(.refused, "nothing was changed")
    }
  }
  let writing = Progress(label: "writing", total: forgetting.size, unit: "bytes")
  let report = try await forgetting.perform(prepared) { writing.update($0) }
  writing.finish()
  Output.remark("forgot \(what)")
  if let entry = report.entry {
    Output.remark("the log was rewritten from event \(entry.first) on")
  }
  return true
}

/// Returns a sentence about the people and texts to erase.
private func summary(_ report: Forgetting.Report, _ request: ForgettingRequest) -> String {
  var parts: [String] = []
  if !report.people.isEmpty {
    parts.append(report.people.count == 1 ? "1 person" : "\(grouped(report.people.count)) people")
  }
  if !request.items.isEmpty { parts.append("the texts of \(counted(request.items.count, "item"))") }
  let deleted = report.people.count(where: \.isOpen)
  var more = "\(counted(report.events, "event"))"
  if deleted > 0 { more += ", \(counted(deleted, "account")) deleted first" }
  let photos = report.people.reduce(0) { $0 + $1.photos.count }
  if photos > 0 { more += ", \(counted(photos, "photo"))" }
  return parts.joined(separator: " and ") + " (\(more))"
}

/// Prints the events in which other people mention the erased people.
private func show(_ report: Forgetting.Report, _ format: Format, mentionsStay: Bool) {
  var rows = Rows([.number("seq", "EVENT"), .text("type"), .text("member", "MENTION IN")])
  for mention in report.mentions {
    rows.add([.int(Int(clamping: mention.seq)), .text(mention.type), .text(mention.member)])
  }
  if !report.mentions.isEmpty || format != .table { rows.write(format) }
  if !report.mentions.isEmpty {
    let count = report.mentions.count
    Output.remark(
      mentionsStay
        ? "note: \(counted(count, "text")) of other people \(count == 1 ? "names" : "name") them "
          + "and \(count == 1 ? "stays" : "stay"): --mentions changes such texts"
        : "note: \(counted(count, "text")) of other people \(count == 1 ? "is" : "are") changed")
  }
  for (type, count) in report.untyped.sorted(by: { $0.key < $1.key }) {
    Output.remark(
      "note: in \(counted(count, "event")) of type \(type) only the ids are replaced, because only "
        + "the app knows their personal members")
  }
}
