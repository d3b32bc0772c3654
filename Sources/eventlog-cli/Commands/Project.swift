extension Subcommand {
  static let project = Subcommand(
    name: "project", summary: "Print a projection, now or as of any past revision",
    arguments: "NAME", positionals: 0...1,
    discussion: """
      Rebuilds a projection from the log and prints it. With --as-of, prints the answer of a log \
      that ended at that revision; nothing is written. 'project' shows everything, even what users \
      hide; 'eventlog do' answers as the app does.

      With --compare, FILE (- is standard input) holds the numbers of the system that you migrate \
      from, as CSV. Its first line names members as --format csv prints them: the key and any \
      others, in any order. Prints each value that differs, then the 'why' of the first one, then \
      counts; exit 1 if anything differs. A row that is missing on one side equals a row of zeros \
      and empty fields. ('replay --compare' is different: it builds projections in several ways.)

      Projections:
      \(ProjectionCommand.list)
      """,
    options: [
      .log, .asOf, .value("--user", "U", "Only the rows of this user."),
      .value("--workout", "W", "Only the rows of this workout."),
      .value("--group", "G", "Only the rows of this group."),
      .value("--with", "U", "Only the conversation of --user with this user."),
      .value("--query", "TEXT", "The text to search for."),
      .value("--period", "week|month", "The leaderboard's period; week if not given."),
      .value("--containing", "DATE", "A day in the period; the last event's day if not given."),
      .value(
        "--compare", "FILE",
        "Compare the rows with those of another system, in CSV."),
      .flag("--partial", "FILE has only some of the rows: a row that it lacks is no difference."),
      .limit, .format, .unknown, .jobs, .cold, .flag("--list", "List the projections."),
    ],
    examples: [
      "eventlog project followers": "The most followed users of the demo.",
      "eventlog project followers --as-of @2026-02-01 --limit 3":
        "The same at the start of February.",
      "eventlog project followers --format json --limit 0 --log my.log":
        "All users, for a program.",
      "eventlog project feed --user alice": "The feed of alice.",
      "eventlog project leaderboard --period month --containing 2026-02-01":
        "The ranking of February.",
      "eventlog project followers --compare counts.csv --log my.log":
        "Compare the old counts with those of the log.",
    ],
    run: { try await runProject($0) })
}

private func runProject(_ invocation: Invocation) async throws {
  let format = try invocation.format()
  let all = ProjectionCommand.all
  if invocation.flag("--list") {
    var rows = Rows([.text("name"), .text("summary", "SHOWS")])
    for projection in all { rows.add([.text(projection.name), .text(projection.summary)]) }
    return rows.write(format)
  }
  guard let name = invocation.positionals.first else {
    throw Failure.usage("project needs the name of a projection; see 'eventlog project --list'")
  }
  guard let projection = all.first(where: { $0.name == name }) else {
    throw Failure.usage(
      "unknown projection \(quoted(name)).\(didYouMean(name, all.map(\.name)))"
        + " See 'eventlog project --list'.")
  }
  for option in ["--user", "--workout", "--group", "--with", "--query", "--period", "--containing"]
  where invocation.value(option) != nil && !projection.options.contains(option) {
    let takes =
      projection.options.isEmpty ? "" : "; it takes \(projection.options.joined(separator: ", "))"
    throw Failure.usage("project \(name) has no \(option)\(takes)")
  }
  let limit = try invocation.rowLimit(default: 20)
  let compared = invocation.value("--compare")
  if compared == nil, invocation.flag("--partial") {
    throw Failure.usage("--partial needs --compare FILE")
  }
  if compared == "-", invocation.readPath == "-" {
    throw Failure.usage("the log and the file to compare cannot both be standard input")
  }
  let view = try invocation.openLog()
  let revision = try invocation.revision("--as-of", in: view)
  let asked = ProjectionQuestion(
    invocation: invocation, view: view, revision: revision, limit: compared == nil ? limit : nil)
  let answer = try await asked.answer(of: projection)
  noteTail(of: view)
  guard let compared else { return answer.write(format) }
  noteSkipped(answer.skipped)
  try await compare(
    answer, with: compared, of: name, at: revision, in: view, limit: limit, invocation)
}
