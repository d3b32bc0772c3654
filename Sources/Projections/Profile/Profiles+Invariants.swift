import Events

extension Profiles {
  /// Every handle leads back to its holder, and no other is held.
  /// - Complexity: O(state).
  public func brokenInvariant(_ names: Names) -> String? {
    var handles: Set<[UInt8]> = []
    for index in profiles.indices {
      let user = UserID(index: index)
      guard let handle = self[user]?.handle else { continue }
      if !isHeld(handle, by: user) {
        return "\(names[user]) has the handle \(handle), which does not lead back"
      }
      handles.insert(Array(handle.lowercased().utf8))
    }
    return handles.count == holders.textCount
      ? nil : "\(holders.textCount) handles are held, and \(handles.count) used"
  }
}
