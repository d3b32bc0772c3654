import Projections
import TimeMachine

/// Prints differences: in words for people, before and after for programs.
func writeChanges(_ changes: [Change], _ format: Format, limit: Int?, footer: String) {
  Rows(changes, inWords: format == .table, limit: limit).write(format, footer: footer)
}
