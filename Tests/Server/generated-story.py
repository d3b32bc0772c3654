"""Uses a client that openapi-python-client generated; see `generated`.

usage: story.py ADDRESS TOKEN-OF-ANN TOKEN-OF-BOB
"""
import datetime
import sys
from http import HTTPStatus
from typing import assert_type

from client import AuthenticatedClient
from client.api.comments import get_comments, heart_comment, post_comment
from client.api.follow import follow_user, get_follow_counts
from client.api.profile import create_profile, get_profile, update_profile
from client.api.workouts import get_feed, share_workout
from client.models import (
    Audience,
    CommentRow,
    CreateProfileInput,
    CreateProfileReply,
    FeedItem,
    FollowCounts,
    FollowUserInput,
    GetCommentsReply,
    GetFeedReply,
    GetFollowCountsReply,
    GetProfileReply,
    HeartCommentInput,
    PostCommentInput,
    PostCommentReply,
    Profile,
    RiderType,
    ShareWorkoutInput,
    UpdateProfileError,
    UpdateProfileErrorCode,
    UpdateProfileInput,
    UpdateProfileReply,
)
from client.types import Unset

address, token_of_ann, token_of_bob = sys.argv[1:]
ann = AuthenticatedClient(base_url=address, token=token_of_ann)
bob = AuthenticatedClient(base_url=address, token=token_of_bob)

# A command and its retry, with an Idempotency-Key.
seqs: list[list[int]] = []
for replayed in (None, "true"):
    created = create_profile.sync_detailed(
        client=ann,
        body=CreateProfileInput(user="ann", handle="ann", display_name="Ann", is_public=True),
        idempotency_key="story-1",
    )
    assert isinstance(created.parsed, CreateProfileReply), created
    assert created.headers.get("Idempotent-Replayed") == replayed, created.headers
    assert created.parsed.result.handle == "ann"
    seqs.append(created.parsed.seq)
assert len(seqs[0]) > 0 and seqs[0] == seqs[1], seqs
made = create_profile.sync(client=bob, body=CreateProfileInput(user="bob", handle="bob"))
assert isinstance(made, CreateProfileReply), made

# A profile.
updated = update_profile.sync(client=ann, body=UpdateProfileInput(rider_type=RiderType.BOTH, bio=None))
assert isinstance(updated, UpdateProfileReply), updated
asked = get_profile.sync(client=bob, handle="ann")
assert isinstance(asked, GetProfileReply), asked
profile = assert_type(asked.result, Profile)
display_name = assert_type(profile.display_name, str | None)
rider_type = assert_type(profile.rider_type, RiderType | None)
created_at = assert_type(profile.created_at, datetime.datetime | None)
assert (profile.user, display_name, profile.bio) == ("ann", "Ann", None), profile
assert rider_type is RiderType.BOTH and created_at is not None, profile
assert profile.base_location is None and profile.sports == [], profile

# Follow counts.
assert follow_user.sync_detailed(client=bob, body=FollowUserInput(followee="ann")).status_code == HTTPStatus.OK
counted = get_follow_counts.sync(client=ann, user="ann")
assert isinstance(counted, GetFollowCountsReply), counted
counts = assert_type(counted.result, FollowCounts)
assert (counts.followers, counts.following) == (1, 0), counts

# A workout with a comment, in the feed and alone.
date = datetime.datetime(2026, 3, 4, 10, tzinfo=datetime.timezone.utc)
shared = share_workout.sync_detailed(
    client=ann,
    body=ShareWorkoutInput(workout="w1", date=date, total_distance=2000, audience=Audience.PUBLIC),
)
assert shared.status_code == HTTPStatus.OK, shared
posted = post_comment.sync(client=bob, body=PostCommentInput(workout="w1", comment="c1", text="strong"))
assert isinstance(posted, PostCommentReply), posted
assert heart_comment.sync_detailed(client=ann, body=HeartCommentInput(comment="c1")).status_code == HTTPStatus.OK
feed = get_feed.sync(client=ann, limit=5, from_=datetime.date(2026, 3, 4))
assert isinstance(feed, GetFeedReply), feed
item = assert_type(feed.result, list[FeedItem])[0]
total_distance = assert_type(item.total_distance, int | None)
audience = assert_type(item.audience, Audience | None)
latest = assert_type(item.latest_comment, CommentRow | None)
assert (item.workout, item.date, total_distance, audience) == ("w1", date, 2000, Audience.PUBLIC), item
assert item.comment_count == 1 and latest is not None and latest.text == "strong", item
comments = get_comments.sync(client=ann, workout="w1")
assert isinstance(comments, GetCommentsReply), comments
comment = assert_type(comments.result, list[CommentRow])[0]
assert (comment.user, comment.hearts, comment.hearted_by_me, comment.reply_to) == ("bob", 1, True, None), comment

# A refused command: the code, and the values of the error.
refused = update_profile.sync_detailed(client=ann, body=UpdateProfileInput(bio="x" * 10_000))
assert refused.status_code == HTTPStatus.UNPROCESSABLE_ENTITY, refused
error = refused.parsed
assert isinstance(error, UpdateProfileError), error
assert error.error is UpdateProfileErrorCode.BIOTOOLONG and error.message != "", error
details = error.details
assert not isinstance(details, Unset), error
limit = assert_type(details.limit, int | Unset)
assert not isinstance(limit, Unset) and 0 < limit < 10_000 and details.actual == 10_000, details
