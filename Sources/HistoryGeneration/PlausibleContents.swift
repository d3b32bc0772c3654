import Events

/// What people write: names, texts and workouts within the limits of every preset of rules.
struct PlausibleContents: EventContents {
  func created(_ user: UserID, _ t: RandomChoices) -> ProfileCreated {
    ProfileCreated(
      user: user, handle: handle(user, &t.random), displayName: Texts.displayName(&t.random),
      isPublic: !t.random.oneIn(7))
  }

  /// Letters and the user's number; no other user's.
  private func handle(_ user: UserID, _ random: inout SplitMix64) -> String {
    "\(random.pick(Phrases.handleStarts))\(user.index + 1)"
  }

  /// Changes one to five members.
  func edited(_ user: UserID, _ moment: ContentMoment, _ t: RandomChoices) -> ProfileEdited {
    var edit = ProfileEdited(user: user)
    for _ in 0...t.random.below(5) { change(&edit, moment, &t.random) }
    return edit
  }

  private func change(
    _ edit: inout ProfileEdited, _ moment: ContentMoment, _ random: inout SplitMix64
  ) {
    switch random.below(11) {
    case 0:
      let isFormer = random.oneIn(40) && !moment.formerHandles.isEmpty
      edit.handle = .set(
        isFormer
          ? random.pick(moment.formerHandles)
          : "\(handle(edit.user, &random))_\(1 + random.below(999))")
    case 1: edit.displayName = .set(Texts.displayName(&random))
    case 2: edit.bio = patch(&random, Texts.bio)
    case 3: edit.homeGym = patch(&random) { $0.pick(Phrases.gyms) }
    case 4: edit.homeZIP = patch(&random, Texts.postcode)
    case 5:
      edit.climbingSince = CalendarDate(Texts.day(&random)).map(Patch.set) ?? .keep
    case 6: edit.favoriteStyle = patch(&random) { $0.pick(Phrases.styles) }
    case 7: edit.boulderGradeScale = patch(&random) { $0.pick(Phrases.boulderScales) }
    case 8: edit.routeGradeScale = patch(&random) { $0.pick(Phrases.routeScales) }
    case 9: edit.isPublic = !random.oneIn(7)
    default: edit.riderType = patch(&random) { $0.pick(RiderType.allCases) }
    }
  }

  /// One time in four a clearing.
  func patch<Value>(
    _ random: inout SplitMix64, _ make: (inout SplitMix64) -> Value
  ) -> Patch<Value> {
    random.oneIn(4) ? .clear : .set(make(&random))
  }

  func photo(_ user: UserID, _ moment: ContentMoment, _ t: RandomChoices) -> ProfilePhotoSet {
    let isPNG = t.random.oneIn(10)
    let path =
      "avatars/u\(user.index + 1)/\(moment.time / 1_000)_\(Texts.hex8(&t.random))"
      + (isPNG ? ".png" : ".jpg")
    return ProfilePhotoSet(
      user: user, url: "https://photos.example.com/\(path)", path: path,
      bytes: Int64(1 + t.random.below(t.random.oneIn(4) ? 5 * 1_024 * 1_024 : 400_000)),
      contentType: isPNG ? "image/png" : "image/jpeg")
  }

  func location(_ user: UserID, _ t: RandomChoices) -> BaseLocationSet {
    let place = t.random.pick(Phrases.places)
    // Ten-thousandths of a degree; a single division gives the exact same bits on every machine.
    let spread = place.name == nil ? 0 : 2_000
    return BaseLocationSet(
      user: user, latitude: Double(place.latitude + t.random.below(spread)) / 10_000,
      longitude: Double(place.longitude + t.random.below(spread)) / 10_000,
      name: t.random.oneIn(4) ? nil : place.name)
  }

  /// Often one of the first few.
  func sport(_ t: RandomChoices) -> SportID {
    Self.sports[t.random.skewed(Self.sports.count)]
  }

  private static let sports = Phrases.sports.compactMap { try? SportID($0) }

  func climb(_ t: RandomChoices) -> String { Texts.climb(&t.random) }

  func goal(_ t: RandomChoices) -> Int64 { Int64(t.random.below(20)) * 5_000 }

  /// Another month.
  func premium(_ user: UserID, _ moment: ContentMoment, _ t: RandomChoices) -> PremiumRecorded {
    PremiumRecorded(
      user: user, product: t.random.oneIn(4) ? "coach.monthly" : "plus.monthly",
      expires: DateTime(Timestamp(milliseconds: moment.time + 30 * 86_400_000)),
      transaction: "\(t.random.next())")
  }

  func text(_ t: RandomChoices) -> String { Texts.comment(&t.random) }

  func groupName(_ t: RandomChoices) -> String { Texts.groupName(&t.random) }

  func description(_ t: RandomChoices) -> String? {
    t.random.oneIn(2) ? t.random.pick(Phrases.cheers) : nil
  }

  func edited(_ group: GroupID, _ t: RandomChoices) -> GroupEdited {
    GroupEdited(group: group, name: groupName(t))
  }

  /// Everything until then: the event names itself.
  func readUpTo(_ moment: ContentMoment, _ t: RandomChoices) -> EventID {
    EventID(
      time: Timestamp(milliseconds: moment.time), random: (t.random.next(), t.random.next()))
  }
}
