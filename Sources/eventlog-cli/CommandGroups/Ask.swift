extension CommandGroup {
  static let ask = CommandGroup("Ask it", [.project, .replay, .checkpoint])
}
