import Events

extension Names {
  /// The names of a saved state, all read and checked anew, and those that this table has met;
  /// nil if they cannot be had with the same numbers.
  /// - Complexity: O(names).
  package func restoredAnew(from saved: any SavedState) -> Names? {
    guard saved.isIntact(part: "names") else { return nil }
    var (fresh, coder) = (Names(), StateCoder(saved, lazily: false))
    fresh.code(with: &coder)
    fresh.appEvents = appEvents
    guard coder.isSound else { return nil }
    do throws(InvalidID) {
      for kind in IDKind.allCases {
        guard fresh.count(of: kind) <= count(of: kind) else { return nil }
        for index in UInt32(fresh.count(of: kind))..<UInt32(count(of: kind)) {
          let id = AnyID(kind, index)
          guard try fresh.intern(self[id], kind) == id else { return nil }
        }
      }
    } catch {
      return nil
    }
    return fresh
  }
}
