/* Uses a client that openapi-generator generated with typescript-fetch; see `generated`.

   usage: story.js ADDRESS TOKEN-OF-ANN TOKEN-OF-BOB */
import {
  Audience, CommentsApi, Configuration, FollowApi, ProfileApi, ResponseError, RiderType, UpdateProfileErrorCode,
  UpdateProfileErrorFromJSON, WorkoutsApi,
} from "./client";

declare const process: { argv: string[]; exit(status: number): never };

function assert(holds: boolean, value: unknown): asserts holds {
  if (!holds) throw new Error(`not expected: ${JSON.stringify(value)}`);
}

async function story(address: string, ann: Configuration, bob: Configuration): Promise<void> {
  // A command and its retry, with an Idempotency-Key.
  const seqs: number[][] = [];
  for (const replayed of [null, "true"]) {
    const created = await new ProfileApi(ann).createProfileRaw({
      createProfileInput: { user: "ann", handle: "ann", displayName: "Ann", isPublic: true },
      idempotencyKey: "story-1",
    });
    const reply = await created.value();
    assert(created.raw.headers.get("Idempotent-Replayed") === replayed, reply);
    assert(reply.result.handle === "ann", reply);
    seqs.push(reply.seq);
  }
  assert(seqs[0].length > 0 && String(seqs[0]) === String(seqs[1]), seqs);
  await new ProfileApi(bob).createProfile({ createProfileInput: { user: "bob", handle: "bob" } });

  // A profile.
  await new ProfileApi(ann).updateProfile({ updateProfileInput: { riderType: RiderType.Both, bio: null } });
  const profile = (await new ProfileApi(bob).getProfile({ handle: "ann" })).result;
  const displayName: string | null = profile.displayName;
  const riderType: RiderType | null = profile.riderType;
  const createdAt: Date | null = profile.createdAt;
  assert(profile.user === "ann" && displayName === "Ann" && profile.bio === null, profile);
  assert(riderType === RiderType.Both && createdAt !== null && createdAt.getTime() > 0, profile);
  assert(profile.baseLocation === null && profile.sports?.length === 0, profile);

  // Follow counts.
  await new FollowApi(bob).followUser({ followUserInput: { followee: "ann" } });
  const counts = (await new FollowApi(ann).getFollowCounts({ user: "ann" })).result;
  assert(counts.followers === 1 && counts.following === 0, counts);

  // A workout with a comment, in the feed and alone.
  const date = new Date("2026-03-04T10:00:00Z");
  await new WorkoutsApi(ann).shareWorkout({
    shareWorkoutInput: { workout: "w1", date, totalDistance: 2000, audience: Audience.Public },
  });
  await new CommentsApi(bob).postComment({ postCommentInput: { workout: "w1", comment: "c1", text: "strong" } });
  await new CommentsApi(ann).heartComment({ heartCommentInput: { comment: "c1" } });
  const item = (await new WorkoutsApi(ann).getFeed({ limit: 5, from: "2026-03-04" })).result[0];
  const totalDistance: number | null = item.totalDistance;
  const audience: Audience | null = item.audience;
  const latest = item.latestComment;
  assert(item.workout === "w1" && item.date.getTime() === date.getTime() && totalDistance === 2000, item);
  assert(audience === Audience.Public && item.commentCount === 1 && latest?.text === "strong", item);
  const comment = (await new CommentsApi(ann).getComments({ workout: "w1" })).result[0];
  assert(comment.user === "bob" && comment.hearts === 1 && comment.heartedByMe && comment.replyTo === null, comment);

  // A refused command: the code, and the values of the error.
  const refused: unknown = await new ProfileApi(ann)
    .updateProfile({ updateProfileInput: { bio: "x".repeat(10_000) } })
    .catch((thrown: unknown) => thrown);
  assert(refused instanceof ResponseError && refused.response.status === 422, refused);
  const error = UpdateProfileErrorFromJSON(await refused.response.json());
  assert(error.error === UpdateProfileErrorCode.BioTooLong && error.message !== "", error);
  const limit: number | undefined = error.details?.limit;
  assert(limit !== undefined && limit > 0 && limit < 10_000 && error.details?.actual === 10_000, error);
}

const [address, ann, bob] = process.argv.slice(2);
const client = (accessToken: string) => new Configuration({ basePath: address, accessToken });
story(address, client(ann), client(bob)).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
