import Events

extension FollowCounts {
  /// Describes the first invariant that does not hold after `settle`; nil if all hold.
  /// - Complexity: O(users + edges).
  public func brokenInvariant(_ names: Names) -> String? {
    var followers = [UInt32](repeating: 0, count: flags.count)
    var following = followers
    var broken: String?
    func name(_ index: UInt32) -> String { names[UserID(index: index)] }
    edges.forEachPair { a, b in
      following[Int(a)] += 1
      followers[Int(b)] += 1
      if Flags(rawValue: flags[Int(a)] | flags[Int(b)]).contains(.isDeleted) {
        broken = "edge \(name(a)) → \(name(b)) touches a deleted account"
      }
    }
    for index in flags.indices {
      let user = UInt32(index)
      if followers[index] != followerCounts[index] {
        broken =
          "\(name(user)) counts \(followerCounts[index]) followers and has \(followers[index])"
      }
      if following[index] != followingCounts[index] {
        broken =
          "\(name(user)) counts \(followingCounts[index]) followed and has \(following[index])"
      }
    }
    return broken
  }
}
