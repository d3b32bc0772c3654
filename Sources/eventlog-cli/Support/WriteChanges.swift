import Projections

/// Prints differences: in words for people, before and after for programs.
func writeChanges(_ changes: [Change], _ format: Format, limit: Int?, footer: String) {
  var rows = Rows(
    [.init(name: "path", title: "PATH")]
      + (format == .table
        ? [.init(name: "change", title: "CHANGE")]
        : [.init(name: "before", title: "BEFORE"), .init(name: "after", title: "AFTER")]))
  for change in changes.prefix(limit ?? .max) {
    rows.add(
      format == .table
        ? [.text(change.path), .text(words(change))]
        : [
          .text(change.path), change.before.map(Cell.init) ?? .null,
          change.after.map(Cell.init) ?? .null,
        ])
  }
  rows.write(format, footer: footer)
}

/// `40 → 41`, `+carol −bob`; a piece that was added or removed has one side.
private func words(_ change: Change) -> String {
  if let (added, removed) = change.items {
    let words = added.map { "+" + $0 } + removed.map { "−" + $0 }
    if !words.isEmpty { return words.joined(separator: " ") }
    return change.before == nil ? "→ none" : change.after == nil ? "none →" : "in another order"
  }
  switch (change.before, change.after) {
  case (let before?, let after?): return "\(before.words) → \(after.words)"
  case (nil, let after?): return "→ \(after.words)"
  case (let before?, nil): return "\(before.words) →"
  case (nil, nil): return ""
  }
}
