extension CommandGroup {
  static let make = CommandGroup(
    "Make and fill a log", [.initialize, .rules, .import, .generate, .export])
}
