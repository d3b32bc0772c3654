import Aggregates
import Events
import Testing

/// The relation between alice, the owner, and bob, the viewer.
private struct Between: VisibilityFacts {
  var isPublic: Bool? = true
  var friends = false
  var follows = false
  var blocked = false

  func isPublic(_ user: UserID) -> Bool? { user == alice ? isPublic : true }
  func areFriends(_ a: UserID, _ b: UserID) -> Bool { friends && a != b }
  func isFollowing(_ follower: UserID, _ followee: UserID) -> Bool {
    follows && follower == bob && followee == alice
  }
  func isBlocked(_ a: UserID, _ b: UserID) -> Bool { blocked && a != b }
}

@Suite struct SightTests {
  private static let viewers: [(name: String, viewer: Viewer, between: Between)] = [
    ("nobody", .nobody, Between()), ("stranger", .user(bob), Between()),
    ("follower", .user(bob), Between(follows: true)),
    ("friend", .user(bob), Between(friends: true)),
    ("blocked", .user(bob), Between(friends: true, follows: true, blocked: true)),
    ("owner", .user(alice), Between()), ("service", .service, Between(blocked: true)),
  ]

  @Test("Everybody sees a public profile, except users separated from it by a block")
  func publicProfile() {
    for rules in Rules.presets {
      for (name, viewer, between) in Self.viewers {
        let visibility = rules.visibility(of: alice, viewer, between)
        #expect(visibility == (name == "blocked" ? .hidden : .full), "\(name), \(rules.name)")
      }
    }
  }

  @Test("Friends see a private profile; the rules give others only the name or nothing")
  func privateProfile() {
    for rules in Rules.presets {
      for (name, viewer, var between) in Self.viewers {
        between.isPublic = false
        let isFull = ["friend", "owner", "service"].contains(name)
        let rest: ProfileVisibility = rules.name == "erg" && name != "blocked" ? .limited : .hidden
        let visibility = rules.visibility(of: alice, viewer, between)
        #expect(visibility == (isFull ? .full : rest), "\(name), \(rules.name)")
      }
    }
  }

  @Test("Nobody sees an account that is not open, not even a service")
  func gone() {
    for (name, viewer, var between) in Self.viewers {
      between.isPublic = nil
      #expect(Rules.climb.visibility(of: alice, viewer, between) == .hidden, "\(name)")
      #expect(!Rules.climb.sees(.public, of: alice, viewer, between), "\(name)")
    }
  }

  @Test("An item's audience sees it, and a private profile caps the audience at friends")
  func audiences() {
    let seen: [Audience: Set<String>] = [
      .private: ["owner", "service"], .friends: ["owner", "service", "friend"],
      .followers: ["owner", "service", "friend", "follower"],
      .public: ["owner", "service", "friend", "follower", "stranger", "nobody"],
    ]
    for audience in Audience.allCases {
      for (name, viewer, var between) in Self.viewers {
        let isSeen = Rules.climb.sees(audience, of: alice, viewer, between)
        #expect(isSeen == seen[audience]?.contains(name), "\(audience) to \(name)")
        between.isPublic = false
        let isSeenCapped = Rules.climb.sees(audience, of: alice, viewer, between)
        let capped = audience == .private ? audience : .friends
        #expect(isSeenCapped == seen[capped]?.contains(name), "\(audience), private, to \(name)")
      }
    }
  }

  @Test("An item without an audience has that of the rules")
  func noAudience() {
    for rules in Rules.presets {
      for (name, viewer, between) in Self.viewers {
        #expect(
          rules.sees(nil, of: alice, viewer, between)
            == rules.sees(rules.audience, of: alice, viewer, between), "\(name), \(rules.name)")
      }
    }
    #expect(Rules.presets.map(\.audience) == [.followers, .friends, .friends])
  }
}
