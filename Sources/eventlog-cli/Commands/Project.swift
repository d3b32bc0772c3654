import Events
import Projections

extension Command {
  static let project = Command(
    name: "project", summary: "Answer from a projection, now or as of any past revision",
    arguments: "NAME", positionals: 0...1,
    discussion: """
      Rebuilds a projection from the log and prints it. With --as-of, the answer is what a log \
      that ended at that revision would give; nothing is written.

      Projections:
        followers   who is followed how much, most followed first
      """,
    options: [
      .log, .asOf,
      .value("--user", "U", "Only this user: the counts, and the lists newest first."),
      .limit, .format, .unknown, .jobs, .flag("--list", "List the projections."),
    ],
    examples: [
      Example(command: "eventlog project followers", help: "The demo's most followed."),
      Example(
        command: "eventlog project followers --as-of @2026-02-01 --limit 3",
        help: "How it was when February began."),
      Example(
        command: "eventlog project followers --format json --limit 0 --log my.log",
        help: "Everybody, for a program."),
      Example(
        command: "eventlog project followers --user alice", help: "Who follows alice, and whom."),
    ],
    run: { try await runProject($0) })
}

private let projections = [("followers", "who is followed how much, most followed first")]

private func runProject(_ invocation: Invocation) async throws {
  let format = try invocation.format()
  if invocation.flag("--list") {
    var rows = Rows([.init(name: "name", title: "NAME"), .init(name: "summary", title: "SHOWS")])
    for (name, summary) in projections { rows.add([.text(name), .text(summary)]) }
    return rows.write(format)
  }
  guard let name = invocation.positionals.first else {
    throw Failure.usage("project needs the name of a projection; see 'eventlog project --list'")
  }
  guard projections.contains(where: { $0.0 == name }) else {
    let near = suggestion(for: name, among: projections.map(\.0))
    throw Failure.usage(
      "no projection \(quoted(name))." + (near.map { " Did you mean '\($0)'?" } ?? "")
        + " See 'eventlog project --list'.")
  }
  let limit = try invocation.int("--limit", default: 20, in: 0...Int(Int32.max))
  let view = try invocation.openLog()
  let revision = try invocation.revision("--as-of", in: view)
  let replay = try await replayed(
    FollowerRows(), view, until: revision, invocation, label: "replaying")
  if let user = invocation.value("--user") {
    try writeFollows(of: user, replay, format, limit: limit)
  } else {
    writeFollowers(replay, format, limit: limit)
  }
  noteSkipped(replay.skipped)
  noteTail(of: view)
}

/// Replays a log into a projection, with a progress bar on a terminal.
func replayed<P: Projection>(
  _ projection: P, _ view: LogView, until: UInt64, _ invocation: Invocation, label: String
) async throws -> Replay<P> {
  var replay = Replay(projection)
  var options = Replay<P>.Options()
  options.jobs = try invocation.int("--jobs", default: coreCount(), in: 1...64)
  options.unknown = try invocation.unknownPolicy()
  let bar = Progress(label: label, total: view.size, unit: "bytes")
  options.progress = { done, _ in bar.update(done) }
  do throws(LogError) {
    try await replay.run(view, until: until, options: options)
  } catch {
    throw Failure(error)
  }
  bar.finish()
  return replay
}

private func writeFollowers(_ replay: Replay<FollowerRows>, _ format: Format, limit: Int) {
  let rows = replay.projection.rows(limit: limit == 0 ? nil : limit, names: replay.names)
  var out = Rows([
    .init(name: "user", title: "USER"), .init(name: "handle", title: "HANDLE"),
    .init(name: "followerCount", title: "FOLLOWERS", alignment: .right),
    .init(name: "followingCount", title: "FOLLOWING", alignment: .right),
  ])
  for row in rows {
    out.add([
      .text(replay.names[row.user]), row.handle.map(Cell.text) ?? .null, .int(row.followerCount),
      .int(row.followingCount),
    ])
  }
  out.write(format, footer: asOf(replay.head))
}

/// Both lists of one user, newest first.
private func writeFollows(
  of name: String, _ replay: Replay<FollowerRows>, _ format: Format, limit: Int
) throws {
  guard let user = replay.names.find(user: name), replay.projection.isKnown(user) else {
    throw Failure(
      .refused, "no user \(quoted(name)) as of revision \(replay.head.seq)")
  }
  let row = replay.projection.row(user)
  var out = Rows([
    .init(name: "relation", title: "RELATION"), .init(name: "user", title: "USER"),
    .init(name: "handle", title: "HANDLE"),
  ])
  let followers = replay.projection.followers
  for (relation, users) in [
    ("follower", followers.followers(of: user)), ("following", followers.following(of: user)),
  ] {
    for other in limit == 0 ? users[...] : users.prefix(limit) {
      out.add([
        .text(relation), .text(replay.names[other]),
        replay.projection.handles[other].map(Cell.text) ?? .null,
      ])
    }
  }
  if format == .table {
    let handle = row.handle.map { " (@\($0))" } ?? ""
    Output.line(
      styled(sanitized(name + handle), .bold)
        + "  \(grouped(row.followerCount)) followers, \(grouped(row.followingCount)) following\n")
  }
  out.write(format, footer: asOf(replay.head))
}

/// Says which revision a table is of.
func asOf(_ head: LogHead) -> String {
  head.seq == 0 ? "as of revision 0, the empty log" : "as of revision \(head.seq), \(head.time)"
}
