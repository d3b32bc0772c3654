"""Relations between some users of a generated log, so that the viewers of the tests see rows of all tables."""
import collections

from serving import Caller


def relate(server, service):
    """Adds relations, and returns the viewers by their kind."""
    friendships = service.rows("friendships", [("status", "eq.accepted")])
    friends = collections.defaultdict(list)
    for row in friendships:
        friends[row["user_id"]].append(row["friend_id"])
    follows = {(row["follower_id"], row["followee_id"]) for row in service.rows("follows", [("deleted_at", "is.null")])}
    public = [row["id"] for row in service.rows("profiles", [("is_public", "is.true")])]
    owner = max(public, key=lambda user: (len(friends[user]), user))
    friend = next(user for user in friends[owner] if user in public)
    rest = [user for user in public if user not in (owner, friend) and user not in friends[owner]]
    follower = next(user for user in rest if (user, owner) in follows)
    loose = [user for user in rest if (user, owner) not in follows and (owner, user) not in follows]
    loose += [user for user in rest if user not in loose and user != follower]
    stranger, blocked, private, leaver, joiner = loose[:5]
    refused = []

    def do(by, use_case, **values):
        result, code = Caller(server, by).ask(use_case, **values)
        if code:
            refused.append(f"{use_case} {code}")
        return result

    effort = dict(date="2026-03-04T10:00:00Z", workoutType="2000m", totalTime="07:30.0", totalDistance=2000,
                  averageSplit="01:52.5")
    for user in (stranger, private):
        do(user, "UnfollowUser", followee=owner)
    for audience in ("private", "friends", "followers", "public"):
        do(owner, "ShareWorkout", workout="o-" + audience, text=audience, audience=audience, **effort)
    for user in (friend, blocked, private, stranger, leaver):
        do(user, "GiveChup" if user == friend else "GiveBigChup", workout="o-public")
        do(user, "GiveReaction", workout="o-public", kind="fire")
        do(user, "PostComment", workout="o-public", comment="c-" + user, text="by " + user)
        do(owner, "HeartComment", comment="c-" + user)
        do(stranger, "HeartComment", comment="c-" + user)
        do(user, "FollowUser", followee=owner)
        do(owner, "FollowUser", followee=user)
        do(user, "SendMessage", message="m-" + user, to=owner, text="hello from " + user)
    do(owner, "AttachWorkoutDetail", workout="o-friends", intervals=[
        {"orderIndex": 0, "time": "07:30.0", "meters": 2000, "splitPer500m": "01:52.5", "strokeRate": 28}])
    do(stranger, "SendFriendRequest", receiver=private)
    do(private, "SendFriendRequest", receiver=follower)
    do(follower, "SendFriendRequest", receiver=stranger)
    do(private, "ShareWorkout", workout="p-public", text="private", audience="public", **effort)
    for group, is_public in (("g-public", True), ("g-private", False)):
        do(private, "CreateGroup", group=group, name=group, isPublic=is_public)
        do(private, "InviteToGroup", group=group, user=stranger)
        do(private, "InviteToGroup", group=group, user=owner)
        do(owner, "AcceptGroupInvitation", group=group)
        do(friend, "JoinGroup", group=group)
        do(blocked, "JoinGroup", group=group)
    do(private, "SetGroupRole", group="g-private", user=owner, role="admin")
    do(follower, "JoinGroup", group="g-private")
    do(stranger, "UnfollowUser", followee=owner)
    do(private, "UpdateProfile", isPublic=False)
    do(owner, "BlockUser", user=blocked)
    do(leaver, "DeleteAccount")
    service.ask("RecordPremium", user=owner, product="year", expires="2030-01-01T00:00:00Z", transaction="t1")
    if refused:
        print("refused: " + ", ".join(refused))
    users = dict(owner=owner, friend=friend, follower=follower, stranger=stranger, blocked=blocked, private=private)
    viewers = {kind: Caller(server, user) for kind, user in users.items()}
    return {**viewers, "no profile": Caller(server, "newcomer"), "nobody": Caller(server), "service": service}
