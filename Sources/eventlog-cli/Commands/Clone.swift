extension Subcommand {
  static let clone = Subcommand(
    name: "clone", summary: "Make a clone of a shared log in a new folder",
    arguments: "SOURCE FOLDER", positionals: 2...2,
    discussion: """
      SOURCE is a log's folder, or a log on a PostgreSQL server: postgresql://user@host/database, \
      with #schema after it if the log is not in the schema eventlog.

      A clone is a log like any other, with a file remote in it that says where it is from; a \
      copy of it is a clone too. Reading it is local. What appends (do, run, import, serve, \
      forget) appends to the shared log first, then to the clone; pull fetches what others \
      appended. One that was interrupted goes on with pull.
      """,
    options: [],
    examples: [
      "eventlog clone postgresql://app@db.example.org/app team":
        "The log of a team, in the folder team."
    ],
    run: { invocation in
      let (source, folder) = (invocation.positionals[0], invocation.positionals[1])
      try checkNew(folder)
      let remote = try openRemote(source)
      try await cloned(remote, noted(source), folder)
      let head = try LogView(path: folder).head().seq
      Output.remark("\(folder) is a clone of \(remote.name), with \(counted(Int(head), "event"))")
    })
}
