import Events

extension StatePath.Kind {
  /// The paths `profile/USER.MEMBER`: one for each field of a profile.
  public static let profile = StatePath.Kind(
    "profile", "the user's profile, such as .bio, .sports.running.level", of: ["USER"],
    members: [
      "handle": .text, "displayName": .text, "bio": .text, "homeGym": .text, "homeZIP": .text,
      "climbingSince": .text, "favoriteStyle": .text, "boulderGradeScale": .text,
      "routeGradeScale": .text, "isPublic": .truth, "riderType": .text,
      "photo": .text.set(by: [.profilePhotoSet, .profilePhotoRemoved]),
      "location.latitude": .number.set(by: location),
      "location.longitude": .number.set(by: location),
      "location.name": .text.set(by: location), "sendCount": .number.set(by: [.sendLogged]),
      "weeklyGoal": .number.set(by: [.weeklyGoalSet]),
      "premium.*": .text.set(by: [.premiumRecorded]),
      "createdAt": .text.set(by: [.profileCreated]), "updatedAt": .text.set(by: .all),
      "sports.*.level": .text.set(by: sport), "sports.*.isMentor": .truth.set(by: sport),
    ],
    types: Profiles.handles, sources: [.profile])

  private static let location: EventTypes = [.baseLocationSet, .baseLocationCleared]
  private static let sport: EventTypes = [.sportSet, .sportRemoved]

  /// The path `handle/HANDLE`: the user who has the handle, which the path gives in lowercase.
  public static let handle = StatePath.Kind(
    "handle", "user with the handle", of: ["HANDLE"], root: .id(of: .user), types: Profiles.handles,
    sources: [.handle],
    leads: [.profileCreated: [.profile], .profileEdited: [.profile]])
}

extension Profiles: ExplainedProjection {
  public static let kinds: [StatePath.Kind] = [.profile, .handle]

  public func facts(_ names: Names) -> [Fact] {
    names.all(UserID.self).flatMap { user in
      let handle = card(of: user)?.handle?.lowercased()
      let held = handle.flatMap {
        holder(of: $0) == user ? Fact("handle/\(pathWord($0))", .string(names[user])) : nil
      }
      return facts(about: user, names) + (held.map { [$0] } ?? [])
    }
  }

  private func facts(about user: UserID, _ names: Names) -> [Fact] {
    guard let profile = self[user] else { return [] }
    let path = names.path("profile", user)
    let members = Values(
      path,
      [
        ("handle", text(profile.handle)), ("displayName", text(profile.displayName)),
        ("bio", text(profile.bio)), ("homeGym", text(profile.homeGym)),
        ("homeZIP", text(profile.homeZIP)),
        ("climbingSince", text(profile.climbingSince.map { "\($0)" })),
        ("favoriteStyle", text(profile.favoriteStyle)),
        ("boulderGradeScale", text(profile.boulderGradeScale)),
        ("routeGradeScale", text(profile.routeGradeScale)),
        ("isPublic", .bool(profile.isPublic)), ("riderType", text(profile.riderType?.rawValue)),
        ("photo", text(profile.photo.map { $0.path ?? $0.url })),
        ("location.latitude", profile.location.map { .double($0.latitude) }),
        ("location.longitude", profile.location.map { .double($0.longitude) }),
        ("location.name", text(profile.location?.name)), ("sendCount", .int(profile.sendCount)),
        ("weeklyGoal", profile.weeklyGoal.map { .int($0) }),
        ("createdAt", text("\(profile.createdAt)")), ("updatedAt", text("\(profile.updatedAt)")),
      ])
    let sports = profile.sports.flatMap { sport in
      let path = "\(path).sports.\(pathWord(sport.sport.name))"
      return [
        Fact(path + ".level", .string(sport.level.rawValue)),
        Fact(path + ".isMentor", .bool(sport.isMentor)),
      ]
    }
    let premium = profile.premium.map {
      Fact("\(path).premium.\(pathWord($0.product))", .string($0.expires.text))
    }
    return members.facts + sports + premium
  }

  public func values(under path: StatePath, after event: Event?, _ names: Names) -> Values {
    if path.kind == .handle {
      return Values(holder(of: path.ids[0]).map { Fact(path.text, .string(names[$0])) })
    }
    return Values(names.find(user: path.ids[0]).map { facts(about: $0, names) } ?? [])
  }
}
