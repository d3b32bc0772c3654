extension Subcommand {
  static let clone = Subcommand(
    name: "clone", summary: "Clone a shared log into a new folder",
    arguments: "SOURCE FOLDER", positionals: 2...2,
    discussion: """
      SOURCE is a log's folder, or a log on a PostgreSQL server: postgresql://user@host/database, \
      followed by #schema if the log is not in the schema eventlog.

      A clone is an ordinary log with a file named remote in it, which holds the address of its \
      shared log. A copy of a clone is a clone too. Reading a clone is local. Commands that append \
      (do, run, import, serve, forget) append to the shared log first, then to the clone. 'pull' \
      fetches the events that others appended; it also continues an interrupted clone.
      """,
    options: [],
    examples: [
      "eventlog clone postgresql://app@db.example.org/app team":
        "Clone the log of a team into the folder team."
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
