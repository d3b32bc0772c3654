import Foundation
import Testing

/// Imports that leave a follow across a block.
@Suite struct BlockImportTests {
  private static let lines = #"""
    {"type":"ProfileCreated","actor":"ann","data":{"user":"ann","handle":"ann","isPublic":true}}
    {"type":"ProfileCreated","actor":"bob","data":{"user":"bob","handle":"bob","isPublic":true}}
    {"type":"UserFollowed","actor":"bob","data":{"follower":"bob","followee":"ann"}}

    """#
  private static let block =
    #"{"type":"UserBlocked","actor":"ann",%"data":{"user":"ann","other":"bob"}}"#
  private static let end =
    #"{"type":"UserUnfollowed","actor":"ann","batch":"2/2","#
    + #""data":{"follower":"bob","followee":"ann"}}"#

  private func write(_ text: String, _ name: String, _ shell: Shell) throws {
    try Data(text.utf8).write(to: shell.folder.appending(path: name))
  }

  @Test("A lenient import reports the pair, a strict one refuses it, and check names the block")
  func loneBlock() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let lone = Self.lines + Self.block.replacing("%", with: "") + "\n"
    try write(lone, "lone.jsonl", shell)
    let lenient = try shell.run("eventlog init a.log && eventlog import lone.jsonl --log a.log")
    #expect(lenient.code == 0)
    #expect(lenient.error.contains("1 pair of users, such as ann and bob"), "\(lenient.error)")
    let checked = try shell.run("eventlog check --log a.log --format csv")
    #expect(checked.code == 1)
    #expect(checked.output.contains("4,UserBlocked,"), "\(checked.output)")
    #expect(checked.output.contains("blockIncomplete"), "\(checked.output)")
    let strict = try shell.run(
      "eventlog init b.log && eventlog import lone.jsonl --strict --log b.log")
    #expect(strict.code == 1)
    #expect(strict.error.contains("lone.jsonl, line 4: UserBlocked"), "\(strict.error)")
    // Before the block, during it, and after it.
    let counts = try shell.run(
      """
      eventlog do UnblockUser user=bob --as ann --log a.log
      for at in 3 4 5; do eventlog do GetFollowCounts user=ann --as ann --as-of $at \\
        --format csv --log a.log | tail -n 1; done
      """)
    #expect(counts.output.hasSuffix("1,0\n0,0\n1,0\n"), "\(counts.output)")
  }

  @Test("A block whose commit ends the follow is imported strictly, and nothing is reported")
  func wholeBlock() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let block = Self.block.replacing("%", with: #""batch":"1/2","#)
    try write(Self.lines + block + "\n" + Self.end + "\n", "whole.jsonl", shell)
    for flag in ["", "--strict"] {
      let imported = try shell.run(
        """
        eventlog init a.log && eventlog import whole.jsonl \(flag) --log a.log && \\
        eventlog check --log a.log; code=$?; rm -r a.log; exit $code
        """)
      #expect(imported.code == 0, "\(imported.error)")
      #expect(!imported.error.contains("pair"), "\(imported.error)")
    }
  }
}
