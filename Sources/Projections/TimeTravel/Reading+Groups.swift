import Events

// What is known of groups, messages and reports.
extension Reading {
  /// The group; nil if it is gone or was never made.
  public func group(_ id: GroupID) -> Groups.Group? {
    looks?.note(.group, id)
    return views.groups[id]
  }

  /// What the user is to the group.
  public func standing(_ group: GroupID, _ user: UserID) -> Groups.Standing {
    looks?.note(.group, group)
    return views.groups.standing(group, user)
  }

  /// The members of the group, who came last first.
  public func members(of group: GroupID) -> Users {
    looks?.note(.group, group)
    return views.groups.members(of: group)
  }

  /// Those who are invited to the group or have asked, the newest first.
  public func waiting(for group: GroupID) -> Users {
    looks?.note(.group, group)
    return views.groups.waiting(for: group)
  }

  /// When the user became a member of the group, was invited, or asked.
  public func memberSince(_ group: GroupID, _ user: UserID) -> Timestamp? {
    looks?.note(.group, group)
    return views.groups.since(group, user)
  }

  /// The groups of which the user is a member, the one joined last first.
  public func groups(of user: UserID) -> [GroupID] {
    looks?.note(.groups, user)
    return views.groups.groups(of: user)
  }

  /// The message; nil if it is removed or was never sent.
  public func message(_ id: MessageID) -> Conversations.Message? {
    looks?.note(.message, id)
    return views.conversations[id]
  }

  /// The messages between two users, oldest first, with their ids.
  public func messages(_ user: UserID, _ other: UserID) -> [MessageID] {
    looks?.note(.pair(.conversation, user, other))
    return Array(views.conversations.messages(user, other))
  }

  /// As `Notifications.unread`.
  public func unread(
    of user: UserID, where isShown: (Notifications.Notification) -> Bool
  ) -> [Notifications.Notification] {
    looks?.note(.notifications, user)
    return views.notifications.unread(of: user, where: isShown)
  }

  /// The user's notification of the event at a position, if there is one.
  public func notification(at seq: UInt64, of user: UserID) -> Notifications.Notification? {
    looks?.note(.notifications, user)
    return views.notifications.notification(at: seq, of: user)
  }

  /// Who was told of a comment as a reply to theirs.
  public func answered(by comment: CommentID) -> UserID? {
    looks?.note(.comment, comment)
    return views.notifications.answered(by: comment)
  }

  /// The newest message between two users.
  public func lastMessage(_ user: UserID, _ other: UserID) -> MessageID? {
    looks?.note(.pair(.conversation, user, other))
    return views.conversations.messages(user, other).last
  }

  /// With whom the user has a conversation.
  public func partners(of user: UserID) -> [UserID] {
    looks?.note(.conversation, user)
    return views.conversations.partners(of: user)
  }

  /// How many messages from the other the user has not read.
  public func unread(by user: UserID, from other: UserID) -> Int {
    looks?.note(.pair(.unread, user, other))
    return views.conversations.unread(by: user, from: other)
  }
}
