import Events

/// Every use case by name: what `eventlog do` and `run` perform and the documentation lists.
///
/// ```swift
/// Registry.find("ToggleFollow")?.fields.map(\.name)  // ["followee"]
/// ```
public enum Registry {
  public static let all: [Entry] = [
    Entry(CreateProfile.self), Entry(CheckHandleAvailability.self), Entry(UpdateProfile.self),
    Entry(GetProfile.self), Entry(refreshing: GetProfile.self), Entry(SearchProfiles.self),
    Entry(UploadProfilePhoto.about, writes: true) {
      (input: UploadProfilePhoto.Input, core, context) throws(UseCaseError) in
      try await UploadProfilePhoto(core, context.photos.storage, context.photos.encoder)
        .perform(input, context.caller, context.key)
    },
    Entry(DeleteProfilePhoto.about, writes: true) {
      (input: DeleteProfilePhoto.Input, core, context) throws(UseCaseError) in
      try await DeleteProfilePhoto(core, context.photos.storage)
        .perform(input, context.caller, context.key)
    },
    Entry(SetBaseLocation.self), Entry(ClearBaseLocation.self), Entry(GetBaseLocation.self),
    Entry(refreshing: GetBaseLocation.self), Entry(refreshing: GetSports.self),
    Entry(ListSports.self), Entry(SetSport.self), Entry(RemoveSport.self), Entry(GetSports.self),
    Entry(SetPhotoURL.self), Entry(LogSend.self), Entry(SetWeeklyGoal.self),
    Entry(RecordPremium.self), Entry(DeleteAccount.self),

    Entry(FollowUser.self), Entry(UnfollowUser.self), Entry(ToggleFollow.self),
    Entry(IsFollowing.self), Entry(GetFollowers.self), Entry(refreshing: GetFollowers.self),
    Entry(GetFollowing.self), Entry(refreshing: GetFollowing.self), Entry(GetFollowCounts.self),
    Entry(refreshing: GetFollowCounts.self),

    Entry(SendFriendRequest.self), Entry(CancelFriendRequest.self),
    Entry(AcceptFriendRequest.self), Entry(RejectFriendRequest.self), Entry(RemoveFriend.self),
    Entry(GetRelationship.self), Entry(refreshing: GetRelationship.self), Entry(GetFriends.self),
    Entry(refreshing: GetFriends.self), Entry(GetPendingRequests.self),
    Entry(refreshing: GetPendingRequests.self), Entry(GetSentRequests.self),
    Entry(refreshing: GetSentRequests.self),

    Entry(BlockUser.self), Entry(UnblockUser.self), Entry(GetBlocked.self),
    Entry(refreshing: GetBlocked.self),

    Entry(ShareWorkout.self), Entry(ShareWorkouts.self), Entry(EditWorkout.self),
    Entry(RemoveWorkout.self), Entry(AttachWorkoutDetail.self),
    Entry(AttachWorkoutPhoto.about, writes: true) {
      (input: AttachWorkoutPhoto.Input, core, context) throws(UseCaseError) in
      try await AttachWorkoutPhoto(core, context.photos.storage, context.photos.encoder)
        .perform(input, context.caller, context.key)
    },
    Entry(GetWorkout.self),
    Entry(refreshing: GetWorkout.self), Entry(GetWorkoutDetail.self),
    Entry(refreshing: GetWorkoutDetail.self), Entry(GetFriendActivity.self),
    Entry(refreshing: GetFriendActivity.self), Entry(GetFeed.self),
    Entry(refreshing: GetFeed.self), Entry(GetLeaderboard.self),
    Entry(refreshing: GetLeaderboard.self), Entry(GetWeeklyMeters.self),
    Entry(refreshing: GetWeeklyMeters.self),

    Entry(ToggleChup.self), Entry(GiveChup.self), Entry(WithdrawChup.self),
    Entry(GiveBigChup.self), Entry(GetChups.self),
    Entry(refreshing: GetChups.self),

    Entry(GiveReaction.self), Entry(WithdrawReaction.self), Entry(GetReactions.self),
    Entry(refreshing: GetReactions.self),

    Entry(PostComment.self), Entry(EditComment.self),
    Entry(RemoveComment.self), Entry(ToggleCommentHeart.self), Entry(HeartComment.self),
    Entry(UnheartComment.self), Entry(GetComments.self),
    Entry(refreshing: GetComments.self),

    Entry(CreateGroup.self), Entry(EditGroup.self), Entry(DeleteGroup.self),
    Entry(TransferGroup.self), Entry(JoinGroup.self), Entry(LeaveGroup.self),
    Entry(InviteToGroup.self), Entry(AcceptGroupInvitation.self),
    Entry(DeclineGroupInvitation.self), Entry(ApproveMember.self), Entry(RemoveMember.self),
    Entry(SetGroupRole.self), Entry(GetGroup.self), Entry(refreshing: GetGroup.self),
    Entry(GetGroups.self), Entry(refreshing: GetGroups.self), Entry(GetGroupMembers.self),
    Entry(refreshing: GetGroupMembers.self), Entry(GetGroupFeed.self),
    Entry(refreshing: GetGroupFeed.self),

    Entry(SendMessage.self), Entry(RemoveMessage.self), Entry(MarkConversationRead.self),
    Entry(GetConversations.self), Entry(refreshing: GetConversations.self),
    Entry(GetMessages.self), Entry(refreshing: GetMessages.self),

    Entry(GetNotifications.self), Entry(refreshing: GetNotifications.self),
    Entry(MarkNotificationsRead.self), Entry(GetUnreadCount.self),
    Entry(refreshing: GetUnreadCount.self),

    Entry(ReportContent.self), Entry(CloseReport.self), Entry(GetReports.self),
    Entry(refreshing: GetReports.self),
  ]

  private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.about.name, $0) })

  public static func find(_ name: String) -> Entry? { byName[name] }

  /// A use case with its types erased; an object, since a server hands it on with each request.
  public final class Entry: Sendable {
    typealias Reader =
      @Sendable (JSONValue, @escaping Fields.ImageLoader) throws(InputError) -> Errand

    public let about: About
    /// Whether it may append to the log.
    public let writes: Bool
    public let fields: [Field]
    let errand: Reader

    private init(_ about: About, writes: Bool, _ fields: [Field], _ errand: @escaping Reader) {
      self.about = about
      self.writes = writes
      self.fields = fields
      self.errand = errand
    }
  }

  /// A use case with its input, performed by name.
  enum Errand {
    /// Makes a command to be appended with others; the reply goes to the closure.
    case command(@Sendable (Core, Caller, RetryKey?, @escaping Replying) -> Pending)
    case query(Question)
    case other(@Sendable (Core, Context) async throws(UseCaseError) -> Reply)
  }

  /// Takes a reply, and the position that it is of: of the last event that it knows.
  public typealias Replying = @Sendable (Reply, _ position: UInt64) -> Void

  /// Who calls, and what is needed beside a core.
  struct Context: Sendable {
    var caller: Caller
    var key: RetryKey?
    var photos: PhotoPorts
  }

  /// A query with its input.
  struct Question: Sendable {
    /// Whether what others appended is read before.
    let refreshes: Bool
    let ask: @Sendable (any Answering, Caller) async throws(UseCaseError) -> Reply
    /// The model is lent: a copy of all its tables' references would take longer than most answers.
    let answer: @Sendable (borrowing Model, Caller) throws(UseCaseError) -> JSONValue
  }
}

extension Registry.Entry {
  convenience init<C: Command>(_: C.Type) {
    self.init(C.about, writes: true, Fields.of(C.Input.self)) { (json, image) throws(InputError) in
      let input: C.Input = try Fields.read(json, image: image)
      return .command { core, caller, key, reply in
        let command = C(core)
        return Pending(
          caller: caller, key: key,
          decide: { (model) throws(UseCaseError) in
            let decided = try command.decide(input, in: &model)
            return { model, seqs in
              let answer = Reply(.success(command.answer(decided, in: model).json), seqs: seqs)
              return { reply(answer, seqs.upperBound - 1) }
            }
          },
          fail: { reply(Reply(.failure($0)), $1) })
      }
    }
  }

  convenience init<Q: Query>(_: Q.Type) {
    self.init(Q.about, Q.self, refreshes: false)
  }

  convenience init<Q: Query>(refreshing: Q.Type) {
    var about = Q.about
    about.name = "Refresh" + about.name.dropFirst("Get".count)
    about.summary = "Read what others appended to the log, then answer as \(Q.about.name) does"
    self.init(about, Q.self, refreshes: true)
  }

  private convenience init<Q: Query>(_ about: About, _: Q.Type, refreshes: Bool) {
    self.init(about, writes: false, Fields.of(Q.Input.self)) { (json, image) throws(InputError) in
      let input: Q.Input = try Fields.read(json, image: image)
      return .query(
        Registry.Question(
          refreshes: refreshes,
          ask: { (asked, caller) async throws(UseCaseError) in
            Reply(.success(try await asked.answer(Q.self, input, as: caller).json))
          },
          answer: { (model: borrowing Model, caller) throws(UseCaseError) in
            try Q.answer(input, to: caller, in: model).json
          }))
    }
  }

  convenience init<I: UseCaseInput, A: Answer>(
    _ about: About, writes: Bool,
    perform:
      @escaping @Sendable (I, Core, Registry.Context) async throws(UseCaseError) -> (
        output: A, seqs: Range<UInt64>
      )
  ) {
    self.init(about, writes: writes, Fields.of(I.self)) { (json, image) throws(InputError) in
      let input: I = try Fields.read(json, image: image)
      return .other { (core, context) async throws(UseCaseError) in
        let done = try await perform(input, core, context)
        return Reply(.success(done.output.json), seqs: done.seqs)
      }
    }
  }
}
