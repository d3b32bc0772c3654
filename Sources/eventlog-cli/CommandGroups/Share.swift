extension CommandGroup {
  static let share = CommandGroup("Share it", [.clone, .pull, .push, .remote])
}
