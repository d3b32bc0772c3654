import Events

/// The list of all queries by name. Each can answer from a model at any position, without a core.
public enum Queries {
  package struct Entry: Sendable {
    package let name: String
    package let answer:
      @Sendable (_ with: JSONValue, _ caller: Caller, _ model: Model) throws(UseCaseError) ->
        JSONValue

    fileprivate init<Q: Query>(_: Q.Type) {
      name = Q.about.name
      answer = { (with, caller, model) throws(UseCaseError) in
        let input: Q.Input
        do throws(InputError) { input = try Fields.read(with, image: Fields.dataURI) } catch {
          throw .invalidInput(error)
        }
        return try Q.answer(input, to: caller, in: model).json
      }
    }
  }

  package static let all: [Entry] = [
    Entry(CheckHandleAvailability.self), Entry(GetProfile.self), Entry(SearchProfiles.self),
    Entry(GetBaseLocation.self), Entry(ListSports.self), Entry(GetSports.self),
    Entry(IsFollowing.self), Entry(GetFollowers.self), Entry(GetFollowing.self),
    Entry(GetFollowCounts.self), Entry(GetRelationship.self), Entry(GetFriends.self),
    Entry(GetPendingRequests.self), Entry(GetSentRequests.self), Entry(GetBlocked.self),
    Entry(GetWorkout.self), Entry(GetWorkoutDetail.self), Entry(GetFriendActivity.self),
    Entry(GetFeed.self), Entry(GetLeaderboard.self), Entry(GetWeeklyMeters.self),
    Entry(GetChups.self), Entry(GetReactions.self), Entry(GetComments.self),
    Entry(GetGroup.self), Entry(GetGroups.self), Entry(GetGroupMembers.self),
    Entry(GetGroupFeed.self), Entry(GetConversations.self), Entry(GetMessages.self),
    Entry(GetNotifications.self), Entry(GetUnreadCount.self), Entry(GetReports.self),
  ]

  package static func find(_ name: String) -> Entry? { all.first { $0.name == name } }
}
