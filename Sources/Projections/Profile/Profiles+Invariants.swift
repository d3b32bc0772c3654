import Events

extension Profiles {
  /// Every handle leads back to its holder.
  /// - Complexity: O(state).
  public func brokenInvariant(_ names: Names) -> String? {
    for index in profiles.indices {
      let user = UserID(index: index)
      if let profile = self[user], !isHeld(profile.handle, by: user) {
        return "\(names[user]) has the handle \(profile.handle), which does not lead back"
      }
    }
    return nil
  }
}
