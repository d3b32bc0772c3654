import Foundation
import Testing

/// The steps of docs/migrating.md and docs/apps/climb.md, from a real PostgreSQL server.
@Suite(.serialized) struct MigrationTests {
  /// The folder of PostgreSQL's programs, which Debian has in no path.
  private static let server: String? = {
    guard let shell = try? Shell() else { return nil }
    defer { shell.remove() }
    let found = try? shell.run(
      "command -v initdb || ls -d /usr/lib/postgresql/*/bin/initdb 2>/dev/null | sort -V | tail -1")
    guard let path = found?.output.split(separator: "\n").last else { return nil }
    return URL(filePath: String(path)).resolvingSymlinksInPath().deletingLastPathComponent().path
  }()

  /// Prints the events and counts of a folder of migrations. The server has its own socket in the
  /// folder and ends with the script; if the tests run as root, it runs as nobody.
  private static func start(_ from: String) -> String {
    """
    set -e
    mkdir server data; chmod 755 .
    if [ "$(id -u)" = 0 ]; then
      as="setpriv --reuid=65534 --regid=65534 --clear-groups"; chown 65534:65534 server data
    fi
    $as initdb -D "$PWD/data" -U app -A trust -E UTF8 --locale=C -N > /dev/null
    $as postgres -D "$PWD/data" -k "$PWD/server" -c listen_addresses= -c fsync=off > log 2>&1 &
    server=$!
    trap 'kill -INT $server; wait $server || true' EXIT
    export PGHOST="$PWD/server" PGUSER=app PGDATABASE=postgres PGTZ=America/New_York
    for try in $(seq 600); do
      psql -Xqc 'select 1' > /dev/null 2>&1 && break
      kill -0 $server || { cat log >&2; exit 1; }
      sleep 0.1
    done
    from=eventlogs/migrations/\(from)
    psql -Xq -v ON_ERROR_STOP=1 < $from/app.sql
    psql -XAtq -v ON_ERROR_STOP=1 < $from/events.sql > events.jsonl
    psql -Xq -v ON_ERROR_STOP=1 < $from/counts.sql
    """
  }

  private func line(_ text: Substring) throws -> NSDictionary {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary)
  }

  @Test(
    "PostgreSQL exports the same events and differences as SQLite",
    .enabled(if: server != nil, "where PostgreSQL's initdb is found"))
  func postgres() async throws {
    let shell = try Shell()
    defer { shell.remove() }
    let path = "PATH='\(try #require(Self.server))':\"$PATH\"; "
    let started = try await shell.runAside(path + Self.start("postgres"))
    try #require(started.code == 0, "\(started)")
    #expect(try shell.run("eventlog init l && eventlog import events.jsonl --log l").code == 0)
    for (projection, file, expected) in [
      (
        "followers", "followers",
        [
          "ada,followerCount,5,4", "ben,followerCount,3,2", "cleo,followingCount,2,1",
          "eli,followerCount,0,1", "fred,followerCount,0,1", "fred,followingCount,0,1",
          "kim,followerCount,,1",
        ]
      ),
      ("friends", "friends", ["ben,friends,3,2", "cleo,friends,2,1"]),
      ("workouts", "workouts", ["w2,chups,3,2", "w2,comments,3,2", "w1,chups,3,2"]),
      ("comments --workout w1", "comments-w1", ["c1,hearts,2,1"]),
      ("comments --workout w2", "comments-w2", []), ("comments --workout w3", "comments-w3", []),
      ("comments --workout w5", "comments-w5", []), ("profiles", "profiles", []),
    ] {
      let result = try shell.run(
        "eventlog project \(projection) --compare \(file).csv --log l --format csv")
      let rows = result.output.split(separator: "\n").dropFirst()
        .map { $0.split(separator: ",", omittingEmptySubsequences: false).prefix(4) }
      #expect(rows.map { $0.joined(separator: ",") } == expected, "\(projection): \(result)")
      #expect(result.code == (expected.isEmpty ? 0 : 1))
    }
    guard try shell.run("command -v sqlite3").code == 0 else { return }
    let sqlite = try shell.run(
      "cat eventlogs/migrations/sqlite/app.sql eventlogs/migrations/sqlite/events.sql | sqlite3")
    let printed = try String(
      contentsOf: shell.folder.appending(path: "events.jsonl"), encoding: .utf8)
    let lines = try printed.split(separator: "\n").map(line)
    #expect(lines.count == 76)
    #expect(try sqlite.output.split(separator: "\n").map(line) == lines)
  }

  @Test(
    "The climb app's counts match those of its triggers, except for the wrong rows",
    .enabled(if: server != nil, "where PostgreSQL's initdb is found"))
  func climb() async throws {
    let shell = try Shell()
    defer { shell.remove() }
    let path = "PATH='\(try #require(Self.server))':\"$PATH\"; "
    let started = try await shell.runAside(path + Self.start("climb"))
    try #require(started.code == 0, "\(started)")
    let imported = try shell.run("eventlog init l && eventlog import events.jsonl --log l")
    #expect(imported.error.contains("21 events added"), "\(imported)")
    let user = "5f0c1d1e-0001-4a6b-9d3e-000000000001"
    let differing = try shell.run(
      "eventlog project followers --compare followers.csv --log l --format csv")
    #expect(
      differing.output.split(separator: "\n").dropFirst().map { $0.prefix(54) } == [
        "\(user),followerCount,3,2", "5f0c1d1e-0004-4a6b-9d3e-000000000004,followerCount,0,1",
      ], "\(differing)")
    #expect(differing.error.contains("2 of 5 rows differ"))
    let same = try shell.run("eventlog project profiles --compare profiles.csv --log l")
    #expect(same.code == 0 && same.output.contains("5 rows: nothing differs"), "\(same)")
    // Imported and still paid for at the time of the last event, months before it expires.
    let profile = try shell.run(
      "eventlog do GetProfile user=\(user) --as \(user) --as-of HEAD --log l --format jsonl")
    #expect(profile.output.contains(#""isPremium":true"#), "\(profile)")
    let strict = try shell.run(
      "eventlog init s && eventlog import events.jsonl --log s --strict")
    #expect(strict.code != 0 && strict.error.contains("line 8: UserFollowed"), "\(strict)")
  }
}
