import Events

extension Profiles {
  /// Every handle leads back to its holder.
  /// - Complexity: O(state).
  public func brokenInvariant(_ names: Names) -> String? {
    for index in profiles.indices {
      let user = UserID(index: index)
      if let handle = self[user]?.handle, !isHeld(handle, by: user) {
        return "\(names[user]) has the handle \(handle), which does not lead back"
      }
    }
    return nil
  }
}
