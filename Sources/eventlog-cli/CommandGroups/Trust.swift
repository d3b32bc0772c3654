extension CommandGroup {
  static let trust = CommandGroup(
    "Trust it", [.verify, .check, .repair, .backup, .restore, .forget])
}
