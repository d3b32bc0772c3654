import Events

/// The list of all built-in use cases, for `eventlog do`, `eventlog run` and the documentation.
///
/// ```swift
/// Registry.find("ToggleFollow")?.fields.map(\.name)  // ["followee"]
/// ```
public enum Registry {
  /// All built-in use cases, in the order of the documentation.
  public static let all: [Entry] = [
    Entry(CreateProfile.self), Entry(CheckHandleAvailability.self), Entry(UpdateProfile.self),
    Entry(GetProfile.self), Entry(refreshing: GetProfile.self), Entry(SearchProfiles.self),
    Entry { UploadProfilePhoto($0, $1.storage, $1.encoder) },
    Entry { DeleteProfilePhoto($0, $1.storage) },
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
    Entry { AttachWorkoutPhoto($0, $1.storage, $1.encoder) },
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

  /// Returns the built-in use case with a name; nil if there is none.
  public static func find(_ name: String) -> Entry? { UseCaseList.standard.find(name) }

  /// A use case of any type, for lists of use cases. `Entry` is a class, so that a server can pass
  /// an entry along cheaply with each request.
  public final class Entry: Sendable {
    /// The use case's name and documentation.
    public let about: About
    /// Whether the use case may append events.
    public let writes: Bool
    /// The fields of the use case's input, in the order of the documentation.
    public let fields: [Field]
    /// The use case's type.
    public let useCase: any DescribedUseCase.Type
    /// The kind of the result, with the fields of objects in it.
    public var result: Field.Kind { useCase.resultKind }
    let work: @Sendable (JSONValue, @escaping Fields.ImageLoader) throws(InputError) -> Call.Work

    fileprivate init<U: DescribedUseCase>(
      _: U.Type, writes: Bool = true, _ work: @escaping @Sendable (U.Input) -> Call.Work
    ) {
      (about, self.writes, fields) = (U.about, writes, Fields.of(U.Input.self))
      self.work = { (json, image) throws(InputError) in work(try Fields.read(json, image: image)) }
      useCase = U.self
    }
  }
}

extension DescribedUseCase {
  fileprivate static var resultKind: Field.Kind { Output.kind }
}

extension Registry.Entry {
  convenience init<C: Command>(_: C.Type) {
    self.init(C.self) { input in .command(input) { C($0) } }
  }

  convenience init<Q: Query>(_: Q.Type) {
    self.init(Q.self, writes: false) { input in .query(Q.self, input) }
  }

  convenience init<Q: Query>(refreshing: Q.Type) {
    self.init(Refresh<Q>.self, writes: false) { input in
      .query(Q.self, input, refreshes: true)
    }
  }

  fileprivate convenience init<P: PhotoUseCase>(
    _ useCase: @escaping @Sendable (Core, PhotoPorts) -> P
  ) {
    self.init(P.self) { input in
      .photo { (core, call, photos) async throws(UseCaseError) in
        guard let photos else { throw .storageFailed(reason: "no storage of photos was given") }
        return try await useCase(core, photos).perform(input, call.caller, call.key)
      }
    }
  }
}
