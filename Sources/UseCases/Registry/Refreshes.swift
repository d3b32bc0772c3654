// The queries that first read what others appended to the log.

public typealias RefreshBlocked = Refresh<GetBlocked>
public typealias RefreshChups = Refresh<GetChups>
public typealias RefreshComments = Refresh<GetComments>
public typealias RefreshFriends = Refresh<GetFriends>
public typealias RefreshPendingRequests = Refresh<GetPendingRequests>
public typealias RefreshRelationship = Refresh<GetRelationship>
public typealias RefreshSentRequests = Refresh<GetSentRequests>
public typealias RefreshGroup = Refresh<GetGroup>
public typealias RefreshGroupFeed = Refresh<GetGroupFeed>
public typealias RefreshGroupMembers = Refresh<GetGroupMembers>
public typealias RefreshGroups = Refresh<GetGroups>
public typealias RefreshConversations = Refresh<GetConversations>
public typealias RefreshMessages = Refresh<GetMessages>
public typealias RefreshNotifications = Refresh<GetNotifications>
public typealias RefreshUnreadCount = Refresh<GetUnreadCount>
public typealias RefreshBaseLocation = Refresh<GetBaseLocation>
public typealias RefreshProfile = Refresh<GetProfile>
public typealias RefreshSports = Refresh<GetSports>
public typealias RefreshReactions = Refresh<GetReactions>
public typealias RefreshReports = Refresh<GetReports>
public typealias RefreshFeed = Refresh<GetFeed>
public typealias RefreshFriendActivity = Refresh<GetFriendActivity>
public typealias RefreshLeaderboard = Refresh<GetLeaderboard>
public typealias RefreshWeeklyMeters = Refresh<GetWeeklyMeters>
public typealias RefreshWorkout = Refresh<GetWorkout>
public typealias RefreshWorkoutDetail = Refresh<GetWorkoutDetail>
