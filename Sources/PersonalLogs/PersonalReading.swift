import Aggregates
import Events
import Projections
import UseCases

/// Answers the queries of one user from the user's personal log, with the code that answers them in
/// a core.
///
/// Each answer is that of the server at the log's position, or there is none. docs/server.md lists
/// the queries that have an answer.
public struct PersonalReading: Sendable {
  /// The personal log.
  public let log: PersonalLog
  var model: Model
  /// The state before the first pending command; nil if none was decided.
  var settled: Model?
  let reader: UserID
  let keys: Set<String>
  /// The keys of the items that pending commands create.
  var created: Set<String> = []
  let cut: Set<String>
  /// For each owner whose older workouts are not in the log, the date of the oldest that is.
  private let floors: [UserID: Timestamp]
  /// Whether unread messages are not in the log.
  private let lacksUnread: Bool

  /// Applies the events of a personal log. Skips events of unknown types.
  /// - Throws: `InputError` if an event cannot be read, or has a version that this code does not
  ///   know.
  /// - Complexity: O(events).
  public init(_ log: PersonalLog) throws(InputError) {
    var (names, parser, views) = (Names(), LineParser(), Views())
    var aggregates = AggregateStates()
    guard let reader = try? names.user(log.reader) else {
      throw InputError("reader", "the personal log's reader is not an id")
    }
    for line in log.linesInOrder {
      let text = unsealedLine(
        type: line.type, version: line.version, actor: log.reader, data: line.data)
      do throws(LineFault) {
        if let event = try parser.parse(Array(text.utf8), names: &names).event {
          aggregates.apply(placeholderOf: event, names)
          aggregates.apply(copy event, at: line.time)
          views.apply(event, at: Moment(seq: line.seq ?? 0, time: line.time))
          continue
        }
      } catch {
        throw InputError(line.type, "\(error)")
      }
      if EventType.allCases.contains(where: { "\($0.name)" == line.type }) {
        throw InputError(line.type, "it has the version \(line.version); update the app")
      }
    }
    views.settle()
    var reading = Reading(views)
    reading.remainders = Remainders(log, reading, names)
    model = Model(rules: log.rules, reading, names, now: log.time)
    model.photoBase = log.photoBase
    model.aggregates.value = aggregates
    model.head = Moment(seq: log.position, time: log.time)
    (self.log, self.reader) = (log, reader)
    keys = Set(log.parts.map(\.key))
    cut = Set(log.parts.filter(\.isCut).map(\.key))
    var floors: [UserID: Timestamp] = [:]
    for key in cut where key.hasPrefix("workouts/") {
      guard let owner = names.find(user: String(key.dropFirst("workouts/".count))) else { continue }
      floors[owner] = Self.floor(of: owner, reading)
    }
    self.floors = floors
    lacksUnread = log.parts.contains { $0.counts["unread"] != nil }
  }

  /// Answers a query, as the server would at the log's position.
  /// - Parameters:
  ///   - query: the query's type.
  ///   - input: the query's input.
  ///   - time: the time of the query, such as for the present week; nil means that of the log.
  /// - Returns: nil if the answer depends on state that is not in the log.
  /// - Throws: the query's error, as the server would.
  public func answer<Q: Query>(
    _ query: Q.Type, _ input: Q.Input, at time: Timestamp? = nil
  ) throws(UseCaseError) -> Q.Output? {
    guard holds(Q.about.name, input.json) else { return nil }
    var model = model
    model.now = time ?? log.time
    let output = try Q.answer(input, to: Caller(log.reader), in: model)
    return isWhole(Q.about.name, input.json, output.json, at: model.now) ? output : nil
  }

  package func answer(
    _ entry: Queries.Entry, _ input: JSONValue
  ) throws(UseCaseError) -> JSONValue? {
    guard holds(entry.name, input) else { return nil }
    let output = try entry.answer(input, Caller(log.reader), model)
    return isWhole(entry.name, input, output, at: model.now) ? output : nil
  }

  // MARK: The state that is in the log

  /// Returns whether the log has the state that a query reads.
  private func holds(_ query: String, _ input: JSONValue) -> Bool {
    func text(_ field: String) -> String? {
      if case .string(let text)? = input[field] { text } else { nil }
    }
    let isFeed = query == "GetFeed"
    if let after = text("after"), !holds(cursor: after, ofItems: isFeed) { return false }
    switch query {
    case "ListSports", "GetPendingRequests", "GetSentRequests", "GetBlocked", "GetMessages",
      "GetReports":
      return true
    case "GetConversations": return !lacksUnread
    case "GetFollowers", "GetFollowing", "GetFriends", "GetGroups", "GetWeeklyMeters":
      return text("user").map(isReader) ?? true
    case "GetBaseLocation", "GetSports", "GetFollowCounts":
      return holds(person: text("user") ?? log.reader)
    case "GetProfile":
      if let handle = text("handle") {
        return model.views.holder(of: handle).map { holds(person: model.names[$0]) } ?? false
      }
      return holds(person: text("user") ?? log.reader)
    case "IsFollowing":
      let (follower, followee) = (text("follower") ?? log.reader, text("followee") ?? "")
      return holds(person: follower) && holds(person: followee)
        && (isReader(follower) || isReader(followee))
    case "GetRelationship": return holds(person: text("other") ?? "")
    case "GetWorkout", "GetWorkoutDetail":
      let workout = text("workout").flatMap { model.views.find(workout: $0, in: model.names) }
      return workout.flatMap { model.views.workout($0) } != nil
    case "GetChups", "GetReactions", "GetComments":
      return has("workout/\(text("workout") ?? "")")
    case "GetFriendActivity":
      return log.bounds.workoutsPerPerson >= GetFriendActivity.each
        && (floors[reader] == nil || log.bounds.ownWorkouts >= GetFriendActivity.own)
    case "GetFeed": return true
    case "GetGroup", "GetGroupMembers": return has("group/\(text("group") ?? "")")
    default: return false
    }
  }

  /// Returns whether the log has a part, or a pending command creates its item.
  func has(_ key: String) -> Bool { keys.contains(key) || created.contains(key) }

  /// Returns whether the log has the row after which a page begins.
  private func holds(cursor: String, ofItems isFeed: Bool) -> Bool {
    guard let comma = cursor.firstIndex(of: ",") else { return true }
    let key = String(cursor[cursor.index(after: comma)...])
    if !isFeed { return holds(person: key) }
    let workout = model.views.find(workout: key, in: model.names)
    return workout.flatMap { model.views.workout($0) } != nil
  }

  private func isReader(_ user: String) -> Bool {
    model.names.resolve(user: user) == reader
  }

  private func holds(person: String) -> Bool {
    guard let user = model.names.resolve(user: person) else { return false }
    guard keys.contains("person/\(model.names[user])") else { return false }
    // After a pending command such as AcceptFriendRequest, the reader may see more than was sent.
    guard let settled, user != reader else { return true }
    return model.visibility(of: user, .user(reader)).rank
      <= settled.visibility(of: user, .user(reader)).rank
  }

  /// Returns whether an answer has all that the server's answer would have, where the bounds of the
  /// log have left something out.
  private func isWhole(
    _ query: String, _ input: JSONValue, _ output: JSONValue, at time: Timestamp
  ) -> Bool {
    let place = FieldPlace.inAnswer
    if query == "GetWeeklyMeters", let floor = floors[reader] {
      let day = input["containing"].flatMap { try? CalendarDate($0, place) }
      return Timestamp.start(ofWeek: (day?.start ?? time).weeksSinceEpoch) > floor
    }
    guard case .array(let rows) = output else { return true }
    let limit = input["limit"].flatMap { try? Int($0, place) }
    // The chups and comments of older workouts are not in the log.
    for row in rows where query == "GetFeed" || query == "GetFriendActivity" {
      guard case .string(let workout)? = row["workout"], has("workout/\(workout)") else {
        return false
      }
    }
    switch query {
    case "GetFeed":
      var owners = model.circle(of: reader)
      if case .string(let owner)? = input["owner"] {
        owners = model.names.resolve(user: owner).map { [$0] } ?? []
      }
      guard let floor = floor(of: owners) else { return true }
      if let from = input["from"].flatMap({ try? DateOrTime($0, place) }), from.first > floor {
        return true
      }
      guard rows.count == clamped(limit), case .string(let date)? = rows.last?["date"] else {
        return false
      }
      return DateTime(date).map { $0.instant > floor } ?? false
    case "GetGroupMembers":
      guard case .string(let group)? = input["group"] else { return true }
      return !cut.contains("group/\(group)")
    case "GetMessages":
      guard case .string(let name)? = input["with"], let other = model.names.resolve(user: name),
        cut.contains("conversation/\(model.names[other])")
      else { return true }
      return rows.count == min(max(limit ?? 50, 1), 100)
    default: return true
    }
  }

  /// Returns the date down to which the log has all workouts of some owners; nil if it has all.
  private func floor(of owners: [UserID]) -> Timestamp? {
    floors.isEmpty ? nil : owners.compactMap { floors[$0] }.max()
  }

  /// Returns the date of an owner's oldest workout.
  private static func floor(of owner: UserID, _ views: Reading) -> Timestamp {
    var oldest = Timestamp.latest
    views.visitNewest(of: [(owner, .max)]) {
      oldest = $0.date.instant
      return true
    }
    return oldest
  }
}

extension ProfileVisibility {
  fileprivate var rank: Int {
    switch self {
    case .hidden: 0
    case .limited: 1
    case .full: 2
    }
  }
}

extension AggregateStates {
  /// Creates the profile of a hidden author of a comment, or of a hidden owner of a group, so that
  /// the reader may answer the comment or leave the group. The views have no such profile.
  fileprivate mutating func apply(placeholderOf event: borrowing Event, _ names: Names) {
    let user: UserID
    switch event {
    case .comment(.posted(let comment)): user = comment.user
    case .group(.created(let group)): user = group.owner
    default: return
    }
    guard names[user].hasPrefix(Names.servicePrefix), !exists(user) else { return }
    let profile = ProfileCreated(user: user, handle: nil, isPublic: true)
    apply(.profile(.created(profile)), at: .earliest)
  }
}

extension PersonalLog {
  /// All lines in the order in which they are applied. Workouts of all owners are in the order of
  /// sharing, because a feed sorts workouts of the same date by it.
  fileprivate var linesInOrder: [Part.Line] {
    let shared = "\(EventType.workoutShared.name)"
    let start = parts.firstIndex { $0.key.hasPrefix("workouts/") } ?? parts.count
    let workouts = parts[start...].flatMap(\.lines).filter { $0.type == shared }
    let sorted = workouts.enumerated().sorted { a, b in
      (a.element.time, a.offset) < (b.element.time, b.offset)
    }
    return parts[..<start].flatMap(\.lines) + sorted.map(\.element)
      + parts[start...].flatMap(\.lines).filter { $0.type != shared }
  }
}

extension Remainders {
  /// Creates the remainders of a personal log: the numbers in its parts, less the edges in it.
  fileprivate init(_ log: PersonalLog, _ views: Reading, _ names: Names) {
    self.init()
    for part in log.parts {
      guard let slash = part.key.firstIndex(of: "/") else { continue }
      let (kind, name) = (part.key[..<slash], String(part.key[part.key.index(after: slash)...]))
      for (number, total) in part.counts {
        switch kind {
        case "person":
          guard let user = names.find(user: name) else { continue }
          switch number {
          case "followers": self[.followers, user] = total - views.followers(of: user).count
          case "following": self[.following, user] = total - views.following(of: user).count
          case "friends": self[.friends, user] = total - views.friends(of: user).count
          case "sends": self[.sends, user] = total
          default: break
          }
        case "workout":
          guard let workout: WorkoutID = names.find(name) else { continue }
          set(number, total, of: workout, views, names)
        case "group":
          guard let group: GroupID = names.find(name), number == "members" else { continue }
          self[.members, group] = total - views.members(of: group).count
        default: break
        }
      }
    }
  }

  private mutating func set(
    _ number: String, _ total: Int, of workout: WorkoutID, _ views: Reading, _ names: Names
  ) {
    if number.hasPrefix("hearts/") {
      guard let comment: CommentID = names.find(String(number.dropFirst(7))) else { return }
      self[.hearts, comment] = total - views.hearts(of: comment).count
      return
    }
    switch number {
    case "chups": self[.chups, workout] = total - views.chups(of: workout).count
    case "bigChups": self[.bigChups, workout] = total - views.bigChupCount(of: workout)
    case "comments": self[.comments, workout] = total - views.comments(on: workout).count
    default:
      guard let kind = ReactionKind(rawValue: number) else { return }
      self[Remainders.Kind(kind), workout] = total - views.reactionCount(workout, kind)
    }
  }
}
