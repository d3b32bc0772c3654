extension Subcommand {
  static let bookmark = Subcommand(
    name: "bookmark", summary: "Name a revision, so that commands accept the name",
    arguments: "[NAME [R]]", positionals: 0...2,
    discussion: """
      Names a revision, HEAD if none is given; without a NAME, lists the bookmarks. The names are \
      kept in the file bookmarks in the log's folder; the log itself does not change. Deleting the \
      file loses only the names.
      """,
    options: [.log, .flag("--delete", "Delete the bookmark."), .format],
    examples: [
      "eventlog bookmark before-the-fix HEAD~3 --log my.log": "Name a revision.",
      "eventlog diff before-the-fix.. --log my.log": "Use it.",
    ],
    run: { invocation in
      let format = try invocation.format()
      guard let name = invocation.positionals.first else {
        let view = try invocation.openLog()
        let all = try Bookmarks(view)?.all() ?? []
        var rows = Rows([.text("name"), .number("revision")])
        for bookmark in all { rows.add([.text(bookmark.name), .optional(bookmark.seq)]) }
        return rows.write(format)
      }
      guard Bookmarks.isName(name) else {
        throw Failure.usage(
          "\(quoted(name)) is not a name: write a letter, then letters, digits, _, - and .")
      }
      _ = try invocation.writePath()
      let view = try invocation.openLog()
      guard let bookmarks = Bookmarks(view) else {
        throw Failure.usage("only a log in a folder has bookmarks; make one with 'eventlog import'")
      }
      let head = try view.head().seq
      let revision =
        invocation.positionals.count > 1
        ? try Invocation.resolve(invocation.positionals[1], in: view) : head
      do {
        if invocation.flag("--delete") { return try bookmarks.remove(name) }
        try bookmarks.set(name, at: revision)
        Output.line("\(name) is revision \(revision)")
      } catch LogError.file(let file) {
        throw Failure(.cannotCreate, "\(file)")
      }
    })
}
