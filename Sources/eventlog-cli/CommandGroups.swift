/// Commands that the program's help lists under one heading.
struct CommandGroup: Sendable {
  var title: String
  var commands: [Subcommand]

  init(_ title: String, _ commands: [Subcommand]) {
    (self.title, self.commands) = (title, commands)
  }
}

extension CommandGroup {
  static let make = CommandGroup(
    "Make and fill a log", [.initialize, .rules, .import, .generate, .export])
  static let use = CommandGroup("Use it", [.do, .run, .serve, .accounts, .notify, .janitor])
  static let share = CommandGroup("Share it", [.clone, .pull, .push, .remote, .mirror])
  static let read = CommandGroup("Read it", [.log, .show, .stats, .scan])
  static let ask = CommandGroup("Ask it", [.project, .replay, .checkpoint])
  static let travel = CommandGroup(
    "Travel in time",
    [
      .paths, .diff, .history, .blame, .why, .whyNot, .refusals, .watch, .bisect, .shrink, .whatIf,
      .debug, .genTest, .bookmark, .page,
    ])
  static let trust = CommandGroup(
    "Trust it", [.verify, .check, .repair, .backup, .restore, .forget])
  static let other = CommandGroup("Other commands", [.completions])
}
