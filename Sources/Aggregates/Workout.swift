import Events

/// Decides about one shared workout, from its sharing to its removal.
public enum WorkoutDecider: Decider {
  /// The state of a workout.
  public enum State: Equatable, Sendable {
    /// The workout was never shared.
    case none
    /// The workout with its current content. `detail`: its intervals, if they were attached.
    case shared(WorkoutShared, detail: WorkoutDetailAttached?)
    /// The workout was removed.
    case removed(owner: UserID)

    /// The owner; nil if the workout was never shared.
    public var owner: UserID? {
      switch self {
      case .none: nil
      case .shared(let workout, _): workout.owner
      case .removed(let owner): owner
      }
    }
  }

  /// A command about one workout.
  public enum Command: Sendable {
    /// Shares a workout.
    ///
    /// If the owner has already shared a workout with the same local id, the command edits that
    /// earlier workout. The caller must then pass the earlier workout's state. `at`: the time of
    /// recording. The workout's date must not be much later; nil skips this check.
    case share(WorkoutShared, hasProfile: Bool, at: Timestamp? = nil)
    /// Changes the workout; `at` means the same as in `share`.
    case edit(WorkoutEdited, hasProfile: Bool, at: Timestamp? = nil)
    /// Attaches the workout's intervals.
    case attach(WorkoutDetailAttached, hasProfile: Bool)
    /// Removes the workout; a service may remove any workout.
    case remove(WorkoutID, hasProfile: Bool, byService: Bool = false)

    /// Whether the actor has a profile.
    var hasProfile: Bool {
      switch self {
      case .share(_, let has, _), .edit(_, let has, _), .attach(_, let has): has
      case .remove(_, let has, let byService): has || byService
      }
    }
  }

  public static var initial: State { .none }

  public static func evolve(_ state: inout State, _ event: borrowing WorkoutEvent) {
    switch event {
    case .shared(let workout):
      if state == .none { state = .shared(workout, detail: nil) }
    case .edited(let edit):
      if case .shared(var workout, let detail) = state {
        workout.apply(edit)
        state = .shared(workout, detail: detail)
      }
    case .detailAttached(let detail):
      if case .shared(let workout, _) = state { state = .shared(workout, detail: detail) }
    case .removed:
      if let owner = state.owner { state = .removed(owner: owner) }
    }
  }

  /// Returns the event that a command causes; nil if nothing would change.
  /// - Throws: `profileNotFound`, `workoutNotFound`, `notAuthorized`, `invalidWorkout` (with the
  ///   field `workout` if another workout of the owner has the id).
  public static func decide(
    _ command: Command, _ state: State, by actor: UserID, _ rules: Rules
  ) throws(DomainError) -> Event? {
    guard command.hasProfile else { throw .profileNotFound }
    switch command {
    case .share(let workout, _, let time):
      guard workout.owner == actor else { throw .notAuthorized }
      switch state {
      case .none:
        try check(workout, at: time, rules)
        var new = canonical(workout)
        new.audience = workout.audience ?? rules.audience
        return .workout(.shared(new))
      case .shared(let old, _):
        try check(workout, replacing: old.owner == actor ? old : nil, at: time, rules)
        guard old.owner == actor else { throw .notAuthorized }
        guard same(old.localID, workout.localID) else { throw .invalidWorkout(field: "workout") }
        var new = canonical(workout, replacing: old)
        new.audience = workout.audience ?? old.audience
        return edited(old, to: new)
      case .removed:
        try check(workout, at: time, rules)
        throw .workoutNotFound
      }
    case .edit(let edit, _, let time):
      let (old, _) = try shared(state, actor)
      var new = old
      new.apply(edit)
      if edit.audience == .clear { new.audience = rules.audience }
      try check(new, replacing: old, at: time, rules)
      return edited(old, to: canonical(new, replacing: old))
    case .attach(let detail, _):
      let (_, old) = try shared(state, actor)
      if old == detail { return nil }
      try check(detail)
      let new = canonical(detail)
      return old == new ? nil : .workout(.detailAttached(new))
    case .remove(let workout, _, let byService):
      _ = try shared(state, byService ? state.owner ?? actor : actor)
      return .workout(.removed(WorkoutReference(workout: workout)))
    }
  }

  private static func shared(
    _ state: State, _ actor: UserID
  ) throws(DomainError) -> (WorkoutShared, WorkoutDetailAttached?) {
    guard case .shared(let workout, let detail) = state else { throw .workoutNotFound }
    guard workout.owner == actor else { throw .notAuthorized }
    return (workout, detail)
  }

  /// Returns the edit that turns one workout into another; nil if they are equal.
  private static func edited(_ old: WorkoutShared, to new: WorkoutShared) -> Event? {
    func patch(_ old: String?, _ new: String?) -> Patch<String> {
      same(old, new) ? .keep : new.map(Patch.set) ?? .clear
    }
    func patch<V>(_ old: V?, _ new: V?) -> Patch<V> {
      old == new ? .keep : new.map(Patch.set) ?? .clear
    }
    let edit = WorkoutEdited(
      workout: old.workout, date: old.date == new.date ? nil : new.date,
      workoutType: patch(old.workoutType, new.workoutType),
      totalTime: patch(old.totalTime, new.totalTime),
      totalDistance: patch(old.totalDistance, new.totalDistance),
      averageSplit: patch(old.averageSplit, new.averageSplit),
      intensityZone: patch(old.intensityZone, new.intensityZone),
      isErgTest: old.isErgTest == new.isErgTest ? nil : new.isErgTest,
      text: patch(old.text, new.text), session: patch(old.session, new.session),
      climb: patch(old.climb, new.climb), audience: patch(old.audience, new.audience))
    return edit == WorkoutEdited(workout: old.workout) ? nil : .workout(.edited(edit))
  }

  /// Checks the fields whose values differ from the earlier workout's. So a value from an older log
  /// stays valid while the owner edits another field.
  private static func check(
    _ workout: WorkoutShared, replacing old: WorkoutShared? = nil, at time: Timestamp?,
    _ rules: Rules
  ) throws(DomainError) {
    if let time, workout.date != old?.date,
      workout.date.instant.milliseconds > time.milliseconds + WorkoutShared.longestLead
    {
      throw .invalidWorkout(field: "date")
    }
    func check(
      _ text: String?, _ old: String?, _ field: DomainError.WorkoutField,
      _ isValid: (String) -> Bool
    ) throws(DomainError) {
      if let text, !same(text, old), !isValid(text) { throw .invalidWorkout(field: field) }
    }
    try check(workout.localID, old?.localID, "localID") { !$0.isEmpty }
    try check(workout.workoutType, old?.workoutType, "workoutType") { !$0.isEmpty }
    try check(workout.totalTime, old?.totalTime, "totalTime", isDuration)
    if let meters = workout.totalDistance, meters != old?.totalDistance,
      !Rules.meters.contains(meters)
    {
      throw .invalidWorkout(field: "totalDistance")
    }
    try check(workout.averageSplit, old?.averageSplit, "averageSplit", isDuration)
    try checkLengths(workout, replacing: old, rules)
    var shown = workout
    if let text = workout.text, rules.edition > 1, !same(text, old?.text),
      !Rules.showsSomething(text)
    {
      shown.text = nil
    }
    if let missing = rules.itemMembers.missing(in: shown) {
      throw .invalidWorkout(field: missing.field)
    }
  }

  private static func checkLengths(
    _ workout: WorkoutShared, replacing old: WorkoutShared?, _ rules: Rules
  ) throws(DomainError) {
    func check(
      _ text: String?, _ old: String?, _ member: TextLimits.Member
    ) throws(DomainError) {
      if !same(text, old) { try rules.checkLength(text, member) }
    }
    try check(workout.localID, old?.localID, .localID)
    try check(workout.workoutType, old?.workoutType, .workoutType)
    try check(workout.intensityZone, old?.intensityZone, .intensityZone)
    try check(workout.text, old?.text, .text)
    try check(workout.session, old?.session, .session)
    do throws(DomainError) {
      try check(workout.climb, old?.climb, .climb)
    } catch {
      throw .invalidWorkout(field: "climb")
    }
  }

  private static func check(_ detail: WorkoutDetailAttached) throws(DomainError) {
    func check(_ confidence: Double?, _ field: DomainError.WorkoutField) throws(DomainError) {
      if let confidence, !(0...1).contains(confidence) { throw .invalidWorkout(field: field) }
    }
    try check(detail.ocrConfidence, "ocrConfidence")
    for interval in detail.intervals {
      if !isDuration(interval.time) { throw .invalidWorkout(field: "intervals.time") }
      if !Rules.meters.contains(interval.meters) {
        throw .invalidWorkout(field: "intervals.meters")
      }
      if !isDuration(interval.splitPer500m) {
        throw .invalidWorkout(field: "intervals.splitPer500m")
      }
      if interval.strokeRate < 0 { throw .invalidWorkout(field: "intervals.strokeRate") }
      if let rate = interval.heartRate, rate < 0 {
        throw .invalidWorkout(field: "intervals.heartRate")
      }
      try check(interval.timeConfidence, "intervals.timeConfidence")
      try check(interval.metersConfidence, "intervals.metersConfidence")
      try check(interval.splitConfidence, "intervals.splitConfidence")
      try check(interval.rateConfidence, "intervals.rateConfidence")
      try check(interval.heartRateConfidence, "intervals.heartRateConfidence")
    }
  }

  /// Returns the workout with its durations in the stored form. Unchanged and invalid durations are
  /// kept as they are.
  private static func canonical(
    _ workout: WorkoutShared, replacing old: WorkoutShared? = nil
  ) -> WorkoutShared {
    func canonical(_ text: String?, _ old: String?) -> String? {
      same(text, old) ? text : text.flatMap(duration) ?? text
    }
    var workout = workout
    workout.totalTime = canonical(workout.totalTime, old?.totalTime)
    workout.averageSplit = canonical(workout.averageSplit, old?.averageSplit)
    return workout
  }

  private static func canonical(_ detail: WorkoutDetailAttached) -> WorkoutDetailAttached {
    var detail = detail
    for index in detail.intervals.indices {
      let interval = detail.intervals[index]
      detail.intervals[index].time = duration(interval.time) ?? interval.time
      detail.intervals[index].splitPer500m =
        duration(interval.splitPer500m) ?? interval.splitPer500m
    }
    return detail
  }

  static func isDuration(_ text: String) -> Bool { duration(text) != nil }

  /// Returns a duration in the stored form, `mm:ss.t` or `h:mm:ss.t`; otherwise nil.
  ///
  /// The text may lack tenths or the first digit of its minutes: `6:30` becomes `06:30.0`. Minutes
  /// and seconds are below 60; hours have one to three digits.
  static func duration(_ text: String) -> String? {
    if isStored(text) { return text }
    let bytes = Array(text.utf8)
    let (zero, colon) = (UInt8(ascii: "0"), UInt8(ascii: ":"))
    var fields = bytes.split(separator: colon, omittingEmptySubsequences: false).map(Array.init)
    guard (2...3).contains(fields.count) else { return nil }
    var seconds = fields.removeLast()
    if seconds.count == 2 { seconds += [UInt8(ascii: "."), zero] }
    var minutes = fields.removeLast()
    if fields.isEmpty, minutes.count == 1 { minutes.insert(zero, at: 0) }
    guard seconds.count == 4, seconds[2] == UInt8(ascii: "."), minutes.count == 2,
      (minutes + [seconds[0], seconds[1], seconds[3]]).allSatisfy(isDigit),
      minutes[0] < zero + 6, seconds[0] < zero + 6
    else { return nil }
    var time = minutes + [colon] + seconds
    if let hours = fields.first {
      guard (1...3).contains(hours.count), hours.allSatisfy(isDigit) else { return nil }
      time = hours + [colon] + time
    }
    return String(decoding: time, as: UTF8.self)
  }

  /// Whether a text is a duration in the stored form. Nearly all durations are. This check
  /// allocates nothing, which saves a thirtieth of a replay's time.
  private static func isStored(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      let hours = bytes.count - 8
      guard bytes.count == 7 || (1...3).contains(hours) else { return false }
      func isPair(_ at: Int) -> Bool {
        isDigit(bytes[at]) && bytes[at] < UInt8(ascii: "6") && isDigit(bytes[at + 1])
      }
      let minutes = bytes.count - 7
      return isPair(minutes) && bytes[minutes + 2] == UInt8(ascii: ":") && isPair(minutes + 3)
        && bytes[minutes + 5] == UInt8(ascii: ".") && isDigit(bytes[minutes + 6])
        && (hours < 1 || bytes[hours] == UInt8(ascii: ":") && bytes[..<hours].allSatisfy(isDigit))
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}

extension WorkoutEvent: Decidable {
  package func decide(
    in states: AggregateStates, by actor: EventActor, at time: Timestamp?, _ rules: Rules
  ) throws(DomainError) -> Event? {
    let user = actor.id
    let hasProfile = states.exists(user)
    let id: WorkoutID
    let command: WorkoutDecider.Command
    switch self {
    case .shared(let data):
      id = states.earlier(data.owner, data.localID) ?? data.workout
      command = .share(data, hasProfile: hasProfile, at: time)
    case .edited(let data):
      try states.visibility(data.workout, user, rules).check()
      (id, command) = (data.workout, .edit(data, hasProfile: hasProfile, at: time))
    case .detailAttached(let data):
      try states.visibility(data.workout, user, rules).check()
      (id, command) = (data.workout, .attach(data, hasProfile: hasProfile))
    case .removed(let data):
      if !actor.isService { try states.visibility(data.workout, user, rules).check() }
      id = data.workout
      command = .remove(id, hasProfile: hasProfile, byService: actor.isService)
    }
    var state = states.workout(id)
    // If the earlier workout is another user's and hidden from the actor, it is treated as removed.
    if case .share = command, let owner = state.owner, owner != user,
      states.visibility(id, user, rules) == .nothing
    {
      state = .removed(owner: owner)
    }
    return try WorkoutDecider.decide(command, state, by: user, rules)
  }
}
