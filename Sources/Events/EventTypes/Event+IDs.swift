/// Replacements for ids.
protocol IDMap {
  func callAsFunction<ID: DenseID>(_ id: ID) -> ID
}

extension Event {
  /// The ids that an event names, in the order of its members.
  public var ids: [AnyID] {
    var ids: [AnyID] = []
    forEachID { ids.append($0) }
    return ids
  }

  /// The users that an event names, in the order of its members.
  public var users: [UserID] { ids.only(UserID.self) }

  /// Calls a closure with each id that the event names, in the order of its members.
  public func forEachID(_ body: (AnyID) -> Void) {
    var copy = self
    copy.mapIDs {
      body($0)
      return $0.index
    }
  }

  /// Replaces the numbers of the ids that the event names, in the order of its members.
  public mutating func mapIDs(_ number: (AnyID) -> UInt32) {
    withoutActuallyEscaping(number) { mapIDs(Renumbering(number: $0)) }
  }

  private struct Renumbering: IDMap {
    var number: (AnyID) -> UInt32

    func callAsFunction<ID: DenseID>(_ id: ID) -> ID { ID(index: number(AnyID(id))) }
  }
}
