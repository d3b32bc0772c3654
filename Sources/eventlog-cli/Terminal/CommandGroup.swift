/// Commands that help lists together under a heading.
struct CommandGroup: Sendable {
  var title: String
  var commands: [Subcommand]

  init(_ title: String, _ commands: [Subcommand]) {
    self.title = title
    self.commands = commands
  }
}
