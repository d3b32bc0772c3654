extension Subcommand {
  static let debug = Subcommand(
    name: "debug", summary: "Step through a log, forward and back, with breakpoints",
    arguments: "[R]", positionals: 0...1,
    discussion: """
      Starts an interactive session at revision R, HEAD if not given. 'help' lists its commands; \
      tab completes them, paths and the ids of the log. From a pipe, it reads commands line by \
      line and stops at the first that fails. 'watch', 'break if', 'print' and others take a PATH \
      or an EXPR.

      \(pathHelp)

      \(expressionHelp)
      """,
    options: [.log, .unknown, .jobs, .cold],
    examples: [
      "eventlog debug 50%": "Start in the middle.",
      "printf 'watch followers/lena.count\\nrcontinue\\n' | eventlog debug":
        "A script: who changed that number last?",
    ],
    run: { invocation in
      let view = try invocation.openLog()
      if view.path == "-", LineEditor.isInteractive == false {
        throw Failure.usage(
          "debug reads its commands from standard input, so the log must be a folder or a file")
      }
      let travel = try await invocation.timeTravel(view)
      await travel.keepTimelines()
      let debugger = try await Debugger(travel)
      var loop = DebugLoop(invocation: invocation, debugger: debugger)
      if let text = invocation.positionals.first {
        loop.debugger.move(to: try Invocation.resolve(text, in: view))
      }
      try await loop.run()
      noteTail(of: view)
    })
}
