extension CommandGroup {
  static let read = CommandGroup("Read it", [.log, .show, .stats])
}
