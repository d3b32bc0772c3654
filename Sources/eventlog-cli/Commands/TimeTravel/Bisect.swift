extension Subcommand {
  static let bisect = Subcommand(
    name: "bisect", summary: "Find the first event after which something fails",
    arguments: "[run CMD…]", positionals: 0...Int.max,
    discussion: """
      Searches between a good and a bad revision, like 'git bisect', and prints the first event \
      after which the condition of --expr is false, or after which CMD fails.

      CMD runs with $EVENTLOG set to the log's path and $EVENTLOG_REVISION to the revision to \
      test, which also replaces {} in its words. Its exit status is the verdict: 0 is good, 125 \
      cannot be judged, any other up to 127 is bad; a higher one stops the search. Words of CMD \
      that begin with a dash come after --: 'eventlog bisect --good 0 -- run my-test -v {}'.

      If the failure comes and goes several times between the two, the search finds the start of \
      one of the failures. --linear checks every event that could matter, and finds the first.

      \(expressionHelp)
      """,
    options: [
      .log, .value("--good", "R", "A good revision; 0 if not given."),
      .value("--bad", "R", "A bad revision; HEAD if not given."),
      .value("--expr", "EXPR", "The condition that is true at good revisions."),
      .flag("--linear", "Find the very first failure, however often it comes and goes."), .format,
      .unknown, .jobs, .cold,
    ],
    examples: [
      "eventlog bisect --expr 'profile/lena.bio == none'": "The event that gave lena a bio.",
      "eventlog bisect --good 50% -- run sh -c 'eventlog show {} profile/lena.bio'":
        "Test each revision with your own command.",
    ],
    run: { invocation in
      let format = try invocation.format()
      let words = invocation.positionals
      let text = invocation.value("--expr")
      guard (text == nil) != (words.isEmpty) else {
        throw Failure.usage("bisect takes either --expr EXPR or run CMD…")
      }
      if let first = words.first, first != "run" || words.count < 2 {
        throw Failure.usage("bisect takes 'run CMD…', not \(quoted(words.joined(separator: " ")))")
      }
      let condition = try text.map(invocation.expression)
      let view = try invocation.openLog()
      let good = try invocation.position("--good", in: view) ?? 0
      let bad = try invocation.revision("--bad", in: view)
      if good >= bad { throw Failure.usage("--good \(good) is not before --bad \(bad)") }
      let first: UInt64
      if let condition {
        first = try await firstFailure(of: condition, good, bad, invocation, view)
      } else {
        first = try firstFailure(of: Array(words.dropFirst()), good, bad, invocation, view)
      }
      guard let line = try view.line(at: first) else { return }
      if format == .table { Output.line("revision \(first) is the first that fails") }
      writeEvent(line, format)
      noteTail(of: view)
    })
}

/// Finds a revision between a good and a bad one at which a condition becomes false.
private func firstFailure(
  of condition: Expression, _ good: UInt64, _ bad: UInt64, _ invocation: Invocation, _ view: LogView
) async throws -> UInt64 {
  let travel = try await invocation.timeTravel(view)
  try await invocation.check(condition.ids, in: condition.text, travel)
  let found = try await travel.turns(of: condition, after: good, until: bad)
  guard found.startsTrue else {
    throw Failure(
      .refused,
      "\(quoted(condition.text)) is already false at \(place(of: good, invocation)) where it is "
        + "true"
    )
  }
  guard !found.isTrue(at: bad) else {
    throw Failure(
      .refused,
      "\(quoted(condition.text)) is still true at --bad \(bad); give a revision where it is false")
  }
  let failures = found.failures
  if invocation.flag("--linear") { return failures[0] }
  if failures.count > 1 {
    Output.remark(
      "note: it fails \(failures.count) times in between, first at revision "
        + "\(failures[0]); this is one of them, --linear finds the first")
  }
  return found.bisected(good: good, bad: bad)
}

/// Names the good revision in an error, and asks for another one.
private func place(of good: UInt64, _ invocation: Invocation) -> String {
  invocation.value("--good") == nil
    ? "revision \(good), where the search begins without --good; give --good a revision"
    : "--good \(good); give a revision"
}

/// Finds a revision between a good and a bad one at which a command begins to fail.
private func firstFailure(
  of words: [String], _ good: UInt64, _ bad: UInt64, _ invocation: Invocation, _ view: LogView
) throws -> UInt64 {
  enum Verdict { case good, bad, unclear }
  func judge(_ revision: UInt64) throws(Failure) -> Verdict {
    let filled = words.map { $0.replacing("{}", with: "\(revision)") }
    let status = try runProcess(
      filled, environment: ["EVENTLOG": invocation.readPath, "EVENTLOG_REVISION": "\(revision)"])
    let verdict: Verdict = status == 0 ? .good : status == 125 ? .unclear : .bad
    guard (0...127).contains(status) else {
      throw Failure(
        .refused, "stopped at revision \(revision): \(words[0]) ended with status \(status)")
    }
    let word = verdict == .good ? "good" : verdict == .bad ? "bad" : "cannot be judged"
    Output.remark("revision \(revision): \(word)")
    return verdict
  }
  if good > 0, try judge(good) == .bad {
    throw Failure(
      .refused,
      "\(words[0]) already fails at \(place(of: good, invocation)) where it does not fail")
  }
  if try judge(bad) == .good {
    throw Failure(
      .refused, "\(words[0]) does not fail at --bad \(bad); give a revision where it fails")
  }
  if invocation.flag("--linear") {
    for revision in good + 1..<bad where try judge(revision) == .bad { return revision }
    return bad
  }
  var (low, high) = (good, bad)
  var unclear: Set<UInt64> = []
  while high - low > 1 {
    // Chooses the revision nearest to the middle that is not known to be unclear.
    let middle = low + (high - low) / 2
    let reach = max(middle - low, high - middle)
    let next = (0..<reach).lazy.flatMap { [middle &- $0, middle &+ $0] }.first {
      $0 > low && $0 < high && !unclear.contains($0)
    }
    guard let next else {
      Output.remark(
        "note: revisions \(low + 1) to \(high - 1) cannot be judged; one of them may be "
          + "the first")
      break
    }
    switch try judge(next) {
    case .good: low = next
    case .bad: high = next
    case .unclear: unclear.insert(next)
    }
  }
  return high
}
