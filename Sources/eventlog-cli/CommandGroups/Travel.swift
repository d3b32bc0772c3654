extension CommandGroup {
  static let travel = CommandGroup(
    "Travel in time",
    [
      .paths, .diff, .history, .blame, .why, .watch, .bisect, .shrink, .whatIf, .debug, .genTest,
      .bookmark, .page,
    ])
}
