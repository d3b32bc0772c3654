// The queries that first read the events that other processes appended to the log.

/// Reads the events that other processes appended, then answers like `GetBlocked`.
public typealias RefreshBlocked = Refresh<GetBlocked>
/// Reads the events that other processes appended, then answers like `GetChups`.
public typealias RefreshChups = Refresh<GetChups>
/// Reads the events that other processes appended, then answers like `GetComments`.
public typealias RefreshComments = Refresh<GetComments>
/// Reads the events that other processes appended, then answers like `GetFriends`.
public typealias RefreshFriends = Refresh<GetFriends>
/// Reads the events that other processes appended, then answers like `GetPendingRequests`.
public typealias RefreshPendingRequests = Refresh<GetPendingRequests>
/// Reads the events that other processes appended, then answers like `GetRelationship`.
public typealias RefreshRelationship = Refresh<GetRelationship>
/// Reads the events that other processes appended, then answers like `GetSentRequests`.
public typealias RefreshSentRequests = Refresh<GetSentRequests>
/// Reads the events that other processes appended, then answers like `GetGroup`.
public typealias RefreshGroup = Refresh<GetGroup>
/// Reads the events that other processes appended, then answers like `GetGroupFeed`.
public typealias RefreshGroupFeed = Refresh<GetGroupFeed>
/// Reads the events that other processes appended, then answers like `GetGroupMembers`.
public typealias RefreshGroupMembers = Refresh<GetGroupMembers>
/// Reads the events that other processes appended, then answers like `GetGroups`.
public typealias RefreshGroups = Refresh<GetGroups>
/// Reads the events that other processes appended, then answers like `GetConversations`.
public typealias RefreshConversations = Refresh<GetConversations>
/// Reads the events that other processes appended, then answers like `GetMessages`.
public typealias RefreshMessages = Refresh<GetMessages>
/// Reads the events that other processes appended, then answers like `GetNotifications`.
public typealias RefreshNotifications = Refresh<GetNotifications>
/// Reads the events that other processes appended, then answers like `GetUnreadCount`.
public typealias RefreshUnreadCount = Refresh<GetUnreadCount>
/// Reads the events that other processes appended, then answers like `GetBaseLocation`.
public typealias RefreshBaseLocation = Refresh<GetBaseLocation>
/// Reads the events that other processes appended, then answers like `GetProfile`.
public typealias RefreshProfile = Refresh<GetProfile>
/// Reads the events that other processes appended, then answers like `GetSports`.
public typealias RefreshSports = Refresh<GetSports>
/// Reads the events that other processes appended, then answers like `GetReactions`.
public typealias RefreshReactions = Refresh<GetReactions>
/// Reads the events that other processes appended, then answers like `GetReports`.
public typealias RefreshReports = Refresh<GetReports>
/// Reads the events that other processes appended, then answers like `GetFeed`.
public typealias RefreshFeed = Refresh<GetFeed>
/// Reads the events that other processes appended, then answers like `GetFriendActivity`.
public typealias RefreshFriendActivity = Refresh<GetFriendActivity>
/// Reads the events that other processes appended, then answers like `GetLeaderboard`.
public typealias RefreshLeaderboard = Refresh<GetLeaderboard>
/// Reads the events that other processes appended, then answers like `GetWeeklyMeters`.
public typealias RefreshWeeklyMeters = Refresh<GetWeeklyMeters>
/// Reads the events that other processes appended, then answers like `GetWorkout`.
public typealias RefreshWorkout = Refresh<GetWorkout>
/// Reads the events that other processes appended, then answers like `GetWorkoutDetail`.
public typealias RefreshWorkoutDetail = Refresh<GetWorkoutDetail>
