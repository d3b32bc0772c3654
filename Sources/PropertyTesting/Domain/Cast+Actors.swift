import Events

extension Cast {
  /// The user who could cause an event.
  func actor(of event: Event) -> UserID? {
    switch event {
    case .profile(.created(let data)): data.user
    case .profile(.edited(let data)): data.user
    case .profile(.photoSet(let data)): data.user
    case .profile(.photoRemoved(let data)): data.user
    case .profile(.baseLocationSet(let data)): data.user
    case .profile(.baseLocationCleared(let data)): data.user
    case .profile(.sportSet(let data)): data.user
    case .profile(.sportRemoved(let data)): data.user
    case .profile(.sendLogged(let data)): data.user
    case .profile(.weeklyGoalSet(let data)): data.user
    case .profile(.premiumRecorded): service
    case .accountDeleted(let data): data.user
    case .follow(.followed(let edge)), .follow(.unfollowed(let edge)): edge.follower
    case .friendship(.requested(let request)), .friendship(.cancelled(let request)): request.sender
    case .friendship(.accepted(let request)), .friendship(.rejected(let request)):
      request.receiver
    case .friendship(.removed(let data)): data.user
    case .workout(.shared(let data)): data.owner
    case .workout(.edited(let data)): owner(of: data.workout)
    case .workout(.detailAttached(let data)): owner(of: data.workout)
    case .workout(.removed(let data)): owner(of: data.workout)
    case .chup(.given(let data)): data.user
    case .chup(.withdrawn(let data)): data.user
    case .comment(.posted(let data)): data.user
    case .comment(.edited(let data)): author(of: data.comment)
    case .comment(.removed(let data)): author(of: data.comment)
    case .heart(.given(let heart)), .heart(.withdrawn(let heart)): heart.user
    case .block(.blocked(let block)), .block(.unblocked(let block)): block.user
    case .reaction(.given(let reaction)), .reaction(.withdrawn(let reaction)): reaction.user
    case .group(.created(let data)): data.owner
    case .group(.edited(let data)): owner(of: data.group)
    case .group(.transferred(let data)): owner(of: data.group)
    case .group(.deleted(let data)): owner(of: data.group)
    case .member(.invited(let data)), .member(.removed(let data)): owner(of: data.group)
    case .member(.roleSet(let data)): owner(of: data.group)
    case .member(.joined(let data)):
      requested.contains { $0 == data } ? owner(of: data.group) : data.user
    case .member(.requested(let data)), .member(.left(let data)): data.user
    case .conversation(.sent(let data)): data.sender
    case .conversation(.removed(let data)): data.sender
    case .conversation(.read(let data)): data.user
    case .notification(.read(let data)): data.user
    case .report(.reported(let data)): data.user
    case .report(.closed): service
    case .app: nil
    }
  }
}
