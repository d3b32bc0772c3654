extension CommandGroup {
  static let other = CommandGroup("Other commands", [.completions])
}
