import Projections

extension Why {
  /// The value, and the number of events with each role.
  func footer(_ revision: UInt64) -> String {
    let counts = Role.allCases.compactMap { role -> String? in
      let count = reasons.count { $0.role == role }
      return count == 0 ? nil : "\(grouped(count)) \(role.rawValue)"
    }
    let value = value.map { $0.words } ?? "none"
    return "\(path.text) is \(truncated(sanitized(value), to: 60)) as of revision \(revision): "
      + counts.joined(separator: ", ")
  }
}
