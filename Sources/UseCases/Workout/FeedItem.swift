import Aggregates
import Events
import Projections

/// A workout in a feed, with short information about the owner, chups, reactions and comments.
public struct FeedItem: Answer {
  /// The workout's id.
  public var workout: String
  /// The owner's id.
  public var owner: String
  /// The owner's handle; nil if there is none.
  public var handle: String?
  /// The owner's displayed name.
  public var displayName: String?
  /// The address of the owner's photo.
  public var photoURL: String?
  /// The time of the workout.
  public var date: DateTime
  /// The type of the workout, such as 2000m or 3x4:00/3:00r.
  public var workoutType: String?
  /// The total time of the workout: `mm:ss.t` or `h:mm:ss.t`.
  public var totalTime: String?
  /// The distance in metres.
  public var totalDistance: Int64?
  /// The average time for 500 m.
  public var averageSplit: String?
  /// The intensity zone, such as UT2.
  public var intensityZone: String?
  /// Whether the workout was an erg test.
  public var isErgTest: Bool
  /// The owner's text about the workout.
  public var text: String?
  /// The session that the workout was part of.
  public var session: String?
  /// The climb's name.
  public var climb: String?
  /// The users who may see the workout.
  public var audience: Choice<Audience>?
  /// The number of chups.
  public var chupCount: Int
  /// The number of big chups.
  public var bigChupCount: Int
  /// Whether the viewer chupped the workout.
  public var chuppedByMe: Bool
  /// The number of reactions of each kind.
  public var reactions: ReactionCounts
  /// The number of comments.
  public var commentCount: Int
  /// The latest comment that the viewer may see.
  public var latestComment: CommentRow?

  public static var schema: String? { "FeedItem" }
  public static var placeholder: FeedItem {
    FeedItem(
      workout: "", owner: "", date: .placeholder, isErgTest: false, chupCount: 0, bigChupCount: 0,
      chuppedByMe: false, reactions: .placeholder, commentCount: 0)
  }
  public mutating func code(with fields: inout Fields) throws(InputError) {
    try fields.required("workout", "The workout's id.", &workout)
    try fields.required("owner", "The owner's id.", &owner)
    try fields.nullable("handle", "The owner's handle; null if there is none.", &handle)
    try fields.nullable("displayName", "The owner's displayed name.", &displayName)
    try fields.nullable("photoURL", "The address of the owner's photo.", &photoURL)
    try fields.required("date", "The time of the workout.", &date)
    try fields.nullable(
      "workoutType", "The type of the workout, such as 2000m or 3x4:00/3:00r.", &workoutType)
    try fields.nullable(
      "totalTime", "The total time of the workout: `mm:ss.t` or `h:mm:ss.t`.", &totalTime)
    try fields.nullable("totalDistance", "The distance in metres.", &totalDistance)
    try fields.nullable("averageSplit", "The average time for 500 m.", &averageSplit)
    try fields.nullable("intensityZone", "The intensity zone, such as UT2.", &intensityZone)
    try fields.required("isErgTest", "Whether the workout was an erg test.", &isErgTest)
    try fields.nullable("text", "The owner's text about the workout.", &text)
    try fields.nullable("session", "The session that the workout was part of.", &session)
    try fields.nullable("climb", "The climb's name.", &climb)
    try fields.nullable("audience", "The users who may see the workout.", &audience)
    try fields.required(
      "chupCount", "The number of all chups, including those by hidden users.", &chupCount)
    try fields.required(
      "bigChupCount", "The number of all big chups, including those by hidden users.",
      &bigChupCount)
    try fields.required("chuppedByMe", "Whether the viewer chupped the workout.", &chuppedByMe)
    try fields.required(
      "reactions", "The number of all reactions of each kind, including those by hidden users.",
      &reactions)
    try fields.required(
      "commentCount", "The number of all comments, including those by hidden users.",
      &commentCount)
    try fields.nullable(
      "latestComment", "The latest comment that the viewer may see.", &latestComment)
  }
}

extension FeedItem {
  package init(_ shared: WorkoutShared, for viewer: UserID, in model: Model) {
    let owner = model.views.profile(of: shared.owner)
    let comments = model.views.comments(on: shared.workout)
    workout = model.names[shared.workout]
    self.owner = model.names[shared.owner]
    handle = owner?.handle
    displayName = owner?.displayName
    photoURL = owner?.photo.map { model.address(ofPhoto: $0.url) }
    date = shared.date
    workoutType = shared.workoutType
    totalTime = shared.totalTime
    totalDistance = shared.totalDistance
    averageSplit = shared.averageSplit
    intensityZone = shared.intensityZone
    isErgTest = shared.isErgTest
    text = shared.text
    session = shared.session
    climb = shared.climb
    audience = .known(shared.audience ?? model.rules.audience)
    chupCount = model.views.chupCount(of: shared.workout)
    bigChupCount = model.views.bigChupCount(of: shared.workout)
    chuppedByMe = model.views.hasChupped(shared.workout, viewer)
    reactions = ReactionCounts(shared.workout, in: model)
    commentCount = model.views.commentCount(on: shared.workout)
    for comment in comments.reversed() where latestComment == nil {
      latestComment = CommentRow(comment, for: .user(viewer), in: model)
    }
  }
}

extension Model {
  /// Returns a page of the owners' items that a viewer sees: at most `each` items per owner, the
  /// latest date first.
  func feed(
    of owners: [(owner: UserID, each: Int)], for viewer: UserID, limit: Int, offset: Int?,
    after: PageCursor? = nil, from: DateOrTime? = nil, to: DateOrTime? = nil,
    where isWanted: (WorkoutShared) -> Bool = { _ in true }
  ) -> [FeedItem] {
    let end = to.map { Timestamp(milliseconds: $0.last.milliseconds + 1) }
    var toSkip = max(offset ?? 0, 0)
    var items: [FeedItem] = []
    // Decides visibility once per owner and audience, because most of a user's items have the same
    // audience.
    var visibilities: [Audience?: [UserID: Bool]] = [:]
    func isSeen(_ owner: UserID, _ audience: Audience?) -> Bool {
      if let known = visibilities[audience]?[owner] { return known }
      let isSeen = sees(audience, of: owner, .user(viewer))
      visibilities[audience, default: [:]][owner] = isSeen
      return isSeen
    }
    let place = after.map { (date: $0.time, workout: views.find(workout: $0.key, in: names)) }
    views.visitNewest(
      of: owners, from: from?.first, before: end, after: place, where: isSeen
    ) { workout in
      guard isWanted(workout) else { return true }
      if toSkip > 0 {
        toSkip -= 1
        return true
      }
      items.append(FeedItem(workout, for: viewer, in: self))
      return items.count < limit
    }
    return items
  }
}
