import Events

extension Profiles {
  /// Every handle leads back to its holder.
  /// - Complexity: O(state).
  public func brokenInvariant(_ names: Names) -> String? {
    for index in accounts.indices {
      let user = UserID(index: UInt32(index))
      if let profile = self[user], !holders.isHeld(profile.handle, by: user) {
        return "\(names[user]) has the handle \(profile.handle), which does not lead back"
      }
    }
    return nil
  }
}
