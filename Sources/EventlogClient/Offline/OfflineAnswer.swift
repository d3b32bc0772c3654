import UseCases

/// A phone's answer to a query.
public struct OfflineAnswer<Output: FieldValue>: Sendable {
  /// The answer, with the effects that the phone expects of pending commands.
  public let value: Output
  /// The answer without pending commands; nil if there is none without them.
  public let settled: Output?
  /// The time of the state that the answer reflects. For the phone's own answer it is that of the
  /// personal log, by the server's clock. For a server's answer it is the time at which the phone
  /// received it, by the phone's clock.
  public let asOf: Timestamp

  /// Whether a pending command changes the answer.
  public var isPending: Bool { settled?.json != value.json }

  /// Returns whether a pending command changes a row of the answer: whether the settled answer has
  /// no equal row.
  public func isPending<Row: FieldValue>(_ row: Row) -> Bool where Output == [Row] {
    guard let settled else { return true }
    let json = row.json
    return !settled.contains { $0.json == json }
  }
}
