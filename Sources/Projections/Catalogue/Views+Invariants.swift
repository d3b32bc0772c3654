import Events

extension Views {
  /// Describes a follow, friendship or request that is counted or listed although a block stands
  /// between the two; nil if there is none.
  /// - Complexity: O(blocks · the shorter list of the two).
  func tieAcrossBlock(_ names: Names) -> String? {
    for index in blocks.edges.starts {
      let user = UserID(index: index)
      for other in blocks.blocked(by: user) {
        guard let tie = tie(user, other) else { continue }
        return "\(names[user]) blocks \(names[other]), and there is a \(tie) between the two"
      }
    }
    return nil
  }

  private func tie(_ a: UserID, _ b: UserID) -> String? {
    let counts = followers.followers
    if following.isFollowing(a, b) || following.isFollowing(b, a) || counts.isFollowing(a, b)
      || counts.isFollowing(b, a)
    {
      return "follow"
    }
    return switch relationships[a, b] {
    case .friends: "friendship"
    case .requestSent, .requestReceived: "request"
    case .none, .self: nil
    }
  }
}
