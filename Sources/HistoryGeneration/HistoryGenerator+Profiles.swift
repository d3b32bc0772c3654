import Events

extension HistoryGenerator {
  /// A user changes one to five members of the profile.
  mutating func editProfile() -> Act? {
    let user = anyone()
    var edit = ProfileEdited(user: id(user))
    var changed: UInt16 = 0
    for _ in 0...random.below(5) {
      let member = random.below(11)
      guard changed & 1 << UInt16(member) == 0 else { continue }
      if change(member, of: user, &edit) { changed |= 1 << UInt16(member) }
    }
    return changed == 0 ? nil : Act(event: .profile(.edited(edit)), user: user)
  }

  /// Changes one member, chosen by number; returns false if it would stay the same.
  private mutating func change(_ member: Int, of user: Int, _ edit: inout ProfileEdited) -> Bool {
    switch member {
    case 0:
      guard let handle = changeHandle(user) else { return false }
      edit.handle = .set(handle)
      return true
    case 1:
      let name = Texts.displayName(&random)
      guard fingerprint(name) != world.profiles[user].displayName else { return false }
      world.profiles[user].displayName = fingerprint(name)
      edit.displayName = .set(name)
    case 2: edit.bio = patch(&world.profiles[user].bio, Texts.bio, &random)
    case 3:
      edit.homeGym = patch(&world.profiles[user].homeGym, Texts.one(of: Phrases.gyms), &random)
    case 4: edit.homeZIP = patch(&world.profiles[user].homeZIP, Texts.postcode, &random)
    case 5:
      let date = patch(&world.profiles[user].climbingSince, Texts.day, &random)
      edit.climbingSince = date.map { CalendarDate($0) }
    case 6:
      edit.favoriteStyle = patch(
        &world.profiles[user].favoriteStyle, Texts.one(of: Phrases.styles), &random)
    case 7:
      edit.boulderGradeScale = patch(
        &world.profiles[user].boulderGradeScale, Texts.one(of: Phrases.boulderScales), &random)
    case 8:
      edit.routeGradeScale = patch(
        &world.profiles[user].routeGradeScale, Texts.one(of: Phrases.routeScales), &random)
    case 9:
      world.profiles[user].isPublic.toggle()
      edit.isPublic = world.profiles[user].isPublic
    default:
      let type = patch(&world.profiles[user].riderType, Texts.riderType, &random)
      edit.riderType = type.map { RiderType(rawValue: $0) }
    }
    return true
  }

  mutating func setPhoto() -> Act? {
    let user = anyone()
    let isPNG = random.oneIn(10)
    let path =
      "avatars/u\(user + 1)/\(clock.milliseconds / 1_000)_\(Texts.hex8(&random))"
      + (isPNG ? ".png" : ".jpg")
    world.profiles[user].hasPhoto = true
    let photo = ProfilePhotoSet(
      user: id(user), url: "https://photos.example.com/\(path)", path: path,
      bytes: Int64(1 + random.below(random.oneIn(4) ? 5 * 1_024 * 1_024 : 400_000)),
      contentType: isPNG ? "image/png" : "image/jpeg")
    return Act(event: .profile(.photoSet(photo)), user: user)
  }

  mutating func removePhoto() -> Act? {
    guard let user = someone({ $0.hasPhoto }) else { return nil }
    world.profiles[user].hasPhoto = false
    return Act(event: .profile(.photoRemoved(UserReference(user: id(user)))), user: user)
  }

  mutating func setLocation() -> Act? {
    let user = anyone()
    let place = random.pick(Phrases.places)
    // Ten-thousandths of a degree; a single division gives the exact same bits on every machine.
    let spread = place.name == nil ? 0 : 2_000
    let latitude = place.latitude + random.below(spread)
    let longitude = place.longitude + random.below(spread)
    let name = random.oneIn(4) ? nil : place.name
    let mark = fingerprint("\(latitude) \(longitude) \(name ?? "")")
    guard mark != world.profiles[user].location else { return nil }
    world.profiles[user].location = mark
    let location = BaseLocationSet(
      user: id(user), latitude: Double(latitude) / 10_000, longitude: Double(longitude) / 10_000,
      name: name)
    return Act(event: .profile(.baseLocationSet(location)), user: user)
  }

  mutating func clearLocation() -> Act? {
    guard let user = someone({ $0.location != 0 }) else { return nil }
    world.profiles[user].location = 0
    return Act(event: .profile(.baseLocationCleared(UserReference(user: id(user)))), user: user)
  }

  mutating func setSport() -> Act? {
    let user = anyone()
    let sport = random.below(Phrases.sports.count)
    let level = random.below(SkillLevel.allCases.count)
    let isMentor = random.oneIn(5)
    let shift = UInt64(4 * sport)
    let code = UInt64(1 + 2 * level + (isMentor ? 1 : 0))
    guard world.profiles[user].sports >> shift & 15 != code,
      let id = try? SportID(Phrases.sports[sport])
    else { return nil }
    world.profiles[user].sports &= ~(15 << shift)
    world.profiles[user].sports |= code << shift
    let data = SportSet(
      user: self.id(user), sport: id, level: SkillLevel.allCases[level], isMentor: isMentor)
    return Act(event: .profile(.sportSet(data)), user: user)
  }

  mutating func removeSport() -> Act? {
    guard let user = someone({ $0.sports != 0 }) else { return nil }
    // Starts at a random sport and wraps around to find the user's first one.
    let start = random.below(Phrases.sports.count)
    for offset in 0..<Phrases.sports.count {
      let sport = (start + offset) % Phrases.sports.count
      let mask: UInt64 = 15 << UInt64(4 * sport)
      guard world.profiles[user].sports & mask != 0 else { continue }
      guard let id = try? SportID(Phrases.sports[sport]) else { return nil }
      world.profiles[user].sports &= ~mask
      return Act(
        event: .profile(.sportRemoved(SportRemoved(user: self.id(user), sport: id))), user: user)
    }
    return nil
  }

  mutating func logSend(by user: Int) -> Act {
    let climb = Texts.climb(&random)
    return Act(event: .profile(.sendLogged(SendLogged(user: id(user), climb: climb))), user: user)
  }

  mutating func setGoal() -> Act? {
    let user = anyone()
    let meters = UInt32(random.below(20)) * 5_000
    guard world.profiles[user].goal != meters else { return nil }
    world.profiles[user].goal = meters
    let goal = WeeklyGoalSet(user: id(user), meters: Int64(meters))
    return Act(event: .profile(.weeklyGoalSet(goal)), user: user)
  }

  /// A service records that a user has paid for another month.
  mutating func recordPremium(_ names: inout Names) -> Act? {
    let user = anyone()
    let expires = Timestamp(milliseconds: clock.milliseconds + 30 * 86_400_000)
    let record = PremiumRecorded(
      user: id(user), product: random.oneIn(4) ? "coach.monthly" : "plus.monthly",
      expires: DateTime(expires), transaction: "\(random.bits())")
    return Act(
      event: .profile(.premiumRecorded(record)), user: user,
      service: try? names.user(Names.servicePrefix + "billing"))
  }

  /// A living user whose profile meets a condition, if a few tries find one.
  private mutating func someone(_ isMeant: (ProfileMarks) -> Bool) -> Int? {
    for _ in 0..<24 {
      let user = anyone()
      if isMeant(world.profiles[user]) { return user }
    }
    return nil
  }
}

/// A patch that changes a member with a known fingerprint; one time in three it clears it.
func patch(
  _ mark: inout UInt32, _ make: (inout Xoshiro256) -> String, _ random: inout Xoshiro256
) -> Patch<String> {
  let value = mark != 0 && random.oneIn(3) ? nil : make(&random)
  if let value, fingerprint(value) != mark {
    mark = fingerprint(value)
    return .set(value)
  }
  mark = 0
  return .clear
}

extension Patch<String> {
  /// The same patch for another type; a value that cannot be converted is cleared.
  func map<Other>(_ transform: (String) -> Other?) -> Patch<Other> {
    switch self {
    case .keep: .keep
    case .clear: .clear
    case .set(let text): transform(text).map { .set($0) } ?? .clear
    }
  }
}
