import FaultTesting
import Foundation
import Testing

/// Checkpoints as a user at the terminal sees them, and Ctrl-C.
@Suite struct CheckpointTests {
  /// Every projection, and some of its questions.
  static let questions = [
    "followers", "followers --user u1", "following", "following --user u1", "profiles",
    "profiles --user u2", "relationships --user u1", "friends --user u1", "blocks",
    "blocks --user u1", "search --query an",
    "workouts", "feed --user u1", "chups", "comments", "leaderboard", "notifications --user u1",
    "sports", "locations",
  ]

  @Test(
    "Every projection and use case answers the same with and without checkpoints, at any revision")
  func sameAnswers() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let revisions = Sweep.chosen == .short ? "2500 4000" : "1 2500 3999 4000"
    // Every second question, or all in the longer modes.
    let questions = stride(from: 0, to: Self.questions.count, by: Sweep.size(2, 1, 1))
    let asks = questions.map { Self.questions[$0] }.map { question in
      """
      for r in \(revisions); do
        eventlog project \(question) --as-of $r --limit 0 --format json --log my.log $1
      done
      """
    }
    let script = (["#!/bin/sh"] + asks).joined(separator: "\n")
    try script.write(to: shell.folder.appending(path: "ask"), atomically: true, encoding: .utf8)
    try GeneratedLog.small.copy(to: "my.log", in: shell)
    let result = try shell.run(
      """
      sh ask >without 2>&1
      eventlog checkpoint --log my.log --format csv
      sh ask >with 2>&1
      sh ask --cold >cold 2>&1
      cmp without with && cmp without cold && echo same
      wc -l <without
      for use in "GetFeed --as u1" "GetFriendActivity --as u1" "GetProfile user=u2"; do
        eventlog do $use --log my.log --format json >warm 2>&1
        eventlog do $use --log my.log --format json --cold >cold 2>&1
        cmp warm cold && echo "same $use"
      done
      eventlog do ToggleFollow followee=u2 --as u1 --log my.log --time 2030-01-01T00:00:00Z
      eventlog project followers --log my.log --format json --limit 0 >warm
      eventlog project followers --log my.log --format json --limit 0 --cold >cold
      cmp warm cold && echo "same after"
      """)
    #expect(result.output.contains("everything,4000\n"), "\(result)")
    #expect(result.output.contains("\nsame\n"), "\(result)")
    #expect(result.output.components(separatedBy: "same Get").count == 4, "\(result)")
    #expect(result.output.hasSuffix("same after\n"), "\(result)")
  }

  @Test("A listing of a past revision saves a checkpoint if the nearest one is far away")
  func past() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let isShort = Sweep.chosen == .short
    let log: GeneratedLog = isShort ? .medium : .large
    try log.copy(to: "my.log", in: shell)
    let (first, third, after, last) =
      isShort ? (5_000, 11_000, 11_500, 26_000) : (9_000, 30_000, 31_000, 70_000)
    func padded(_ number: Int) -> String {
      String(repeating: "0", count: 16 - "\(number)".count) + "\(number)"
    }
    let result = try shell.run(
      """
      for r in \(log.events) \(third) \(after) \(last) \(first); do
        eventlog project followers --log my.log --format csv --as-of $r >$r.csv
        eventlog project followers --log my.log --format csv --as-of $r --cold | cmp - $r.csv
      done
      ls my.log/checkpoints | grep followers | cut -d. -f1
      # Files of another version: the one that was saved last stays.
      cd my.log/checkpoints
      others=$(ls *-\(padded(third))* *-\(padded(last))*)
      sed -i 's/checkpoint format 3/checkpoint format 2/' $others
      for f in $others; do mv $f ${f%%.*}.checkpoint; done; cd ../..
      eventlog project followers --log my.log --format csv --as-of \(last) | cmp - \(last).csv
      eventlog project followers --log my.log --format csv --as-of \(third) | cmp - \(third).csv
      grep -lr 'checkpoint format 2' my.log/checkpoints | wc -l
      ls my.log/checkpoints | grep -c followers
      """)
    let names = [first, third, last, log.events].map { "followers-\(padded($0))\n" }
    #expect(result.output == names.joined() + "1\n5\n", "\(result)")
  }

  @Test(
    "fault 17: a checkpoint that is damaged, foreign or beyond the log's end is reported, not used")
  func notUsed() throws {
    let shell = try Shell()
    defer { shell.remove() }
    try GeneratedLog.small.copy(to: "my.log", in: shell)
    try GeneratedLog.tiny.copy(to: "short.log", in: shell)
    let result = try shell.run(
      """
      eventlog checkpoint followers --log my.log >/dev/null
      eventlog project followers --log my.log --format csv >right
      f=$(echo my.log/checkpoints/followers-0000000000004000.*)
      cp $f whole
      size=$(wc -c <$f)
      for at in 40 200 $((size / 3)) $((size / 2)) $((size - 5)); do
        cp whole $f
        printf '\\377' | dd of=$f bs=1 seek=$at conv=notrunc 2>/dev/null
        eventlog project followers --log my.log --format csv | cmp - right && echo right
      done
      cp whole $f
      truncate -s $((size - 100)) $f
      eventlog project followers --log my.log --format csv | cmp - right && echo right
      rm -r my.log
      eventlog generate --events 4000 --users 100 --seed 4 --log my.log 2>/dev/null
      mkdir my.log/checkpoints; cp whole $f
      eventlog project followers --log my.log >/dev/null
      rm -r my.log
      mv short.log my.log
      mkdir my.log/checkpoints; cp whole $f
      eventlog project followers --log my.log >/dev/null
      """)
    #expect(result.output == String(repeating: "right\n", count: 6), "\(result)")
    #expect(result.error.contains("checkpoint is damaged; it is not used"), "\(result.error)")
    #expect(result.error.contains("belongs to another log; it is not used"), "\(result.error)")
    #expect(
      result.error.contains(
        "is at revision 4000, but the log ends at 900: the log lost its last events"))
  }

  @Test("Ctrl-C leaves whole events, and a second import continues from there")
  func interrupt() async throws {
    let shell = try Shell()
    defer { shell.remove() }
    try GeneratedLog.medium.copy(to: "source", in: shell)
    let result = try await shell.runAside(
      """
      eventlog export --log source >lines
      eventlog init my.log 2>/dev/null
      eventlog import lines --log my.log & import=$!
      until [ -s my.log/0000000000000001.jsonl ]; do sleep 0.01; done
      kill -INT $import
      wait $import; echo "code $?"
      eventlog verify --log my.log >/dev/null && echo whole
      eventlog import lines --log my.log
      cmp source/0000000000000001.jsonl my.log/0000000000000001.jsonl && echo same
      """)
    #expect(result.output == "code 130\nwhole\nsame\n", "\(result)")
    #expect(result.error.contains("interrupted; import again to continue"))
    #expect(result.error.contains("were already there"))
  }

  @Test("Ctrl-C while an import is sorted leaves the log unchanged, and no temporary file")
  func interruptedSorting() async throws {
    let shell = try Shell()
    defer { shell.remove() }
    let source: GeneratedLog = Sweep.chosen == .short ? .small : .medium
    try source.copy(to: "source", in: shell)
    let result = try await shell.runAside(
      """
      eventlog export --log source | sed 's/"seq":[0-9]*,//; s/,"rev":[0-9]*//; s/,"sum".*/}/' \
        | sort -r -t: -k5 > lines
      eventlog init my.log 2>/dev/null
      # The import waits for the end of its input when it is told to stop.
      (cat lines; exec sleep 3) | eventlog import - --sort --log my.log & import=$!
      sleep 1
      kill -INT $import
      wait $import; echo "code $?"
      ls my.log; eventlog verify --log my.log --format csv | tail -1 | cut -d, -f1
      """)
    #expect(result.output == "code 130\n0000000000000001.jsonl\nlock\n0\n", "\(result)")
  }
}
