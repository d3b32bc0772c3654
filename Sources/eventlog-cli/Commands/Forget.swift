import Server

extension Subcommand {
  static let forget = Subcommand(
    name: "forget", summary: "Forget people: names, texts and photos go, every event stays",
    arguments: "[USER…]", positionals: 0...10_000,
    discussion: """
      Writes the log anew so that it says nothing that is theirs. Every event stays, with its \
      position, time, type and revision; ids and handles become pseudonyms, texts a sign, photos \
      go. An open account is deleted first. Counts and answers about everybody else stay as they \
      were, at every revision. The folder is the old log until the new one is whole, and then the \
      new one; checkpoints and recovered bytes of the old one go.

      Nobody may be writing to the log: stop its server, or ask the server (POST /v1/forget). On a \
      terminal it asks before it begins. What it says of a forgetting stands in the file \
      rewritings in the log's folder, which names nobody. docs/forgetting.md says what to do \
      about backups.
      """,
    options: [
      .log,
      .value(
        "--texts-of", "ITEM",
        "The texts of one item go: comment/C, workout/W, message/M, group/G, report/R, profile/U.",
        repeats: true),
      .flag("--mentions", "Also change other people's texts where they say a handle as a word."),
      .flag("--dry-run", "Say what would change, and change nothing."),
      .flag("--yes", "Do not ask."),
      .value("--reason", "TEXT", "Why, for the ledger; it must name nobody."), .rules, .photos,
      .value(
        "--ledger-key", "FILE",
        "A secret of 32 bytes or more; with it the ledger gets marks for --again."),
      .flag("--again", "Forget whom the ledger has marks of: in a restored backup."),
      .value(
        "--ledger", "FILE", "The ledger for --again; the file rewritings of the log if not given."),
      .unknown, .jobs, .format,
    ],
    examples: [
      "eventlog forget ann --log my.log --dry-run": "What would change.",
      "eventlog forget ann ben --log my.log --yes --ledger-key secret":
        "Two people, for good, and again in every backup.",
      "eventlog forget --texts-of comment/c17 --log my.log": "One text.",
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
  let isAgain = invocation.flag("--again")
  if isAgain {
    guard request.people.isEmpty, request.items.isEmpty else {
      throw Failure.usage("--again takes whom to forget from the ledger; name nobody")
    }
    guard mark != nil else {
      throw Failure.usage(
        "--again needs the secret that the marks were made with: --ledger-key FILE")
    }
  } else if request.people.isEmpty, request.items.isEmpty {
    throw Failure.usage("say whom to forget: eventlog forget USER --log \(path)")
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
      Output.remark("nobody in \(path) has a mark in \(ledger): there is nothing to do")
      return
    }
    (request.people, request.items) = (found.people, found.items)
    if entries.contains(where: \.changesMentions) { request.changesMentions = true }
  }
  if let mark { request.marks = request.subjects.map(mark) }
  try await forget(request, forgetting, invocation, format)
}

/// What marks the ledger under `--ledger-key`; nil if it was not given.
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
    throw .usage(
      "--ledger-key \(quoted(path)): this eventlog was built without OpenSSL: install libssl-dev, "
        + "libmicrohttpd-dev and libjwt-dev, then swift build -c release --traits Server")
  #endif
}

private func forget(
  _ request: ForgettingRequest, _ forgetting: Forgetting, _ invocation: Invocation,
  _ format: Format
) async throws {
  let jobs = try invocation.jobs()
  let unknown = try invocation.unknownPolicy()
  let reading = Progress(label: "reading", total: 2 * forgetting.size, unit: "bytes")
  let prepared = try await forgetting.prepare(request, unknown: unknown, jobs: jobs) {
    reading.update($0)
  }
  reading.finish()
  if prepared.report.first == nil {
    Output.remark("nothing of it is left to forget; nothing was changed")
    return
  }
  show(prepared.report, format, mentionsStay: !request.changesMentions)
  let what = summary(prepared.report, request)
  if invocation.flag("--dry-run") {
    Output.remark("would forget \(what); nothing was changed")
    return
  }
  if !invocation.flag("--yes"), isatty(STDIN_FILENO) == 1 {
    guard Terminal.isErrorTTY else {
      throw Failure.usage("the question cannot be shown: give --yes, or leave standard error alone")
    }
    Output.error("eventlog: this forgets \(what), for good. Go on? [y/N] ")
    guard let answer = readLine(), ["y", "yes"].contains(answer.lowercased()) else {
      throw Failure(.refused, "nothing was changed")
    }
  }
  let writing = Progress(label: "writing", total: forgetting.size, unit: "bytes")
  let report = try await forgetting.perform(prepared) { writing.update($0) }
  writing.finish()
  Output.remark("forgot \(what)")
  if let entry = report.entry {
    Output.remark("the log is another from event \(entry.first) on")
  }
}

/// What is forgotten, in words.
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

/// Lists the people, and where others mention them.
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
      "note: of \(counted(count, "event")) of type \(type) only the ids are replaced: their "
        + "personal members are known to the app alone")
  }
}
