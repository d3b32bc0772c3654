#if PostgreSQL
  import PostgreSQL
#endif

extension Subcommand {
  static let remote = Subcommand(
    name: "remote", summary: "Share a log, or compare a clone with its shared log",
    arguments: "[init ADDRESS]", positionals: 0...2,
    discussion: """
      Without arguments, shows the shared log of a clone and where both end.

      init ADDRESS creates an empty shared log there: a folder, or a schema on a PostgreSQL server \
      (postgresql://user@host/database#schema). A schema of an older version is upgraded. With \
      --log, that log becomes a clone of the shared log, and all its events are pushed.
      """,
    options: [.log, .format],
    examples: [
      "eventlog remote --log team": "Show where both end.",
      "eventlog remote init postgresql://app@db.example.org/app --log my.log":
        "Share the log my.log.",
    ],
    run: { invocation in
      switch invocation.positionals.first {
      case nil: try await showRemote(invocation)
      case "init":
        guard invocation.positionals.count == 2 else {
          throw Failure.usage("remote init takes an address: a folder, or postgresql://…")
        }
        try await initRemote(invocation, invocation.positionals[1])
      case let word?: throw Failure.usage("remote takes init ADDRESS, not \(quoted(word))")
      }
    })
}

private func showRemote(_ invocation: Invocation) async throws {
  let format = try invocation.format()
  let (path, remote) = try invocation.requiredRemote()
  let ours = try LogView(path: path).head()
  let theirs = try await remote.head()
  var rows = Rows([.text("log"), .number("head"), .text("sum")])
  rows.add([.text(path), .optional(ours.seq), .sum(ours.sum)])
  rows.add([.text(remote.name), .optional(theirs.seq), .sum(theirs.sum)])
  rows.write(format)
}

private func initRemote(_ invocation: Invocation, _ address: String) async throws {
  let log = invocation.value("--log")
  if let log, let other = try Clone.address(of: log), other != noted(address) {
    throw Failure.usage("\(log) is already a clone of \(Clone.masked(other))")
  }
  if isRemoteAddress(address) {
    #if PostgreSQL
      try await PostgresRemote(try PostgresAddress(address)).prepare()
    #endif
  } else if (try? LogView(path: address)) == nil {
    try await makeLog(address)
  }
  let remote = try openRemote(address)
  guard let log else {
    let head = try await remote.head().seq
    Output.remark("\(remote.name) is a shared log, with \(counted(Int(head), "event"))")
    return
  }
  _ = try LogView(path: log)
  try await pushed(log, to: remote, becomingCloneOf: noted(address))
  Output.remark("\(log) is now a clone of it")
}
