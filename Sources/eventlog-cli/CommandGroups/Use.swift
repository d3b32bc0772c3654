extension CommandGroup {
  static let use = CommandGroup("Use it", [.do, .run, .serve, .notify, .janitor])
}
