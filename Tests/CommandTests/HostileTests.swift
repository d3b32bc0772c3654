import Events
import FaultTesting
import Foundation
import Testing

/// People whose texts attack a reader's terminal, shell or spreadsheet.
@Suite struct HostileTests {
  /// Texts that clear the screen, set the title, colour, move back or reverse the line; and
  /// formulas.
  private static let texts = [
    "\u{1b}[2J\u{1b}]0;mine\u{7}", "\u{9b}31mred", "over\rwritten", "a\u{8}\u{8}b", "\u{0}nul",
    "\u{202e}txt.exe", "\u{2066}x\u{2069}", "\u{200f}mark\u{61c}", "line\nfeed\ttab", "\u{feff}bom",
    "=HYPERLINK(\"http://x\")", "+1+1", "-2+3", "@SUM(A1)", "＝1+1", "\t=1", "\r=1", "\n=1",
    "\u{2028}=1", "zero\u{200b}width",
  ]

  /// A log in which every text that people write is one of these.
  private func log(in shell: Shell) throws {
    func line(_ type: String, _ actor: String, _ data: String, _ more: String = "") -> String {
      #"{"type":"\#(type)","actor":"\#(actor)",\#(more)"data":{\#(data)}}"# + "\n"
    }
    var lines = ""
    for (number, text) in Self.texts.enumerated() {
      let (user, text) = ("u\(number)", jsonText(text))
      lines += line(
        "ProfileCreated", user,
        #""user":"\#(user)","handle":"handle_\#(number)","displayName":\#(text),"isPublic":true"#)
      lines += line(
        "ProfileEdited", user, #""user":"\#(user)","bio":\#(text),"homeGym":\#(text)"#)
      lines += line(
        "BaseLocationSet", user, #""user":"\#(user)","latitude":1,"longitude":2,"name":\#(text)"#)
      lines += line("SendLogged", user, #""user":"\#(user)","climb":\#(text)"#)
      lines += line(
        "WorkoutShared", user,
        #""workout":"w\#(number)","owner":"\#(user)","localID":\#(text),"#
          + #""date":"2026-01-01T10:00:00Z","workoutType":\#(text),"totalTime":\#(text),"#
          + #""totalDistance":5,"averageSplit":\#(text),"isErgTest":false,"text":\#(text)"#)
      lines += line(
        "CommentPosted", user,
        #""comment":"c\#(number)","workout":"w\#(number)","user":"\#(user)","text":\#(text)"#)
      lines += line(
        "UserFollowed", user, #""follower":"\#(user)","followee":"u0""#, #""x":\#(text),"#)
      lines +=
        #"{"type":\#(text),"actor":"u0","stream":"odd/u0","data":{\#(text):\#(text)}}"# + "\n"
    }
    try Data(lines.utf8).write(to: shell.folder.appending(path: "in.jsonl"))
    let made = try shell.run(
      "eventlog init h && eventlog import in.jsonl --log h --keep-unknown")
    #expect(made.code == 0, "\(made.error)")
  }

  private static let commands = [
    "log", "log --oneline", "show 1", "show 8", "show HEAD", "show 6 profile/u0",
    "project profiles --unknown skip", "project profiles --user u0 --unknown skip",
    "project followers --unknown skip", "project search --query handle --unknown skip",
    "project workouts --unknown skip", "project comments --unknown skip",
    "project locations --unknown skip", "project feed --user u0 --unknown skip",
    "project notifications --user u0 --unknown skip", "project leaderboard --unknown skip",
    "stats", "verify", "check --unknown skip", "replay --unknown skip",
    "replay --judge --unknown skip", "diff 3..99 --unknown skip",
    "diff 1..9 profile/u0 --unknown skip", "history profile/u0 --unknown skip",
    "blame profile/u0 --unknown skip", "why profile/u0.bio --unknown skip",
    "watch 'profile/u0.bio != null' --unknown skip", "paths profile/u0 --unknown skip", "export",
    "export --cloudevents", "what-if --skip 5 --diff --unknown skip",
    "do GetProfile user=u0 --as u0 --unknown skip", "do GetFeed --as u0 --unknown skip",
    "do GetComments workout=w0 --as u0 --unknown skip", "gen-test 1..7 --unknown skip",
    "project 'pro\u{1b}[2Jfiles'", "show 'x\u{9b}31m'", "project profiles --user '\u{202e}'",
    "stats --unknown '\u{1b}]0;x\u{7}'",
  ]

  /// The first part of a text that a terminal would act on, except the program's own colours.
  private func acted(_ text: String) -> String? {
    var rest = Substring(text)
    while let at = rest.unicodeScalars.firstIndex(where: Self.acts) {
      if let colour = rest[at...].prefixMatch(of: /\u{1b}\[[0-9;]*m/) {
        rest = rest[colour.range.upperBound...]
      } else {
        let start = rest.index(at, offsetBy: -30, limitedBy: rest.startIndex) ?? rest.startIndex
        return String(rest[start...].prefix(60)).debugDescription
      }
    }
    return nil
  }

  private static func acts(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0a, 0x0d: false  // a terminal's own line end has both
    case 0..<0x20, 0x7f..<0xa0, 0x61c, 0x200b, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069,
      0xfeff:
      true
    default: false
    }
  }

  @Test("No text of a log acts on a terminal, in any command and format")
  func terminal() throws {
    let shell = try Shell()
    defer { shell.remove() }
    try log(in: shell)
    let formats = ["", "--format table", "--format json", "--format jsonl", "--format csv"]
    var (tried, printed) = (0, 0)
    for command in Self.commands {
      for format in formats where format.isEmpty || Sweep.chosen != .short || tried % 3 == 0 {
        // The progress bar, which is on standard error, does move the cursor.
        let words = "eventlog \(command) --log h \(format) 2>errors"
        // A terminal of its own, from `script`.
        let quoted = words.replacingOccurrences(of: "'", with: #"'\''"#)
        let result = try shell.run(
          "TERM=xterm script -qec '\(quoted)' /dev/null </dev/null; cat errors")
        let found = acted(result.output)
        #expect(found == nil, "\(words): \(found ?? "")")
        // A carriage return may only stand before a line feed.
        let lone = result.output.replacing("\r\n", with: "").unicodeScalars.contains("\r")
        #expect(!lone, "\(words): a carriage return")
        if result.output.contains("handle_") || result.output.contains("u0") { printed += 1 }
        tried += 1
      }
      tried += 1
    }
    #expect(printed > Self.commands.count / 2, "the commands print what they are asked for")
  }

  @Test("A pipe gets JSON and the log's lines unchanged; a table is as on a terminal")
  func pipes() throws {
    let shell = try Shell()
    defer { shell.remove() }
    try log(in: shell)
    let exported = try shell.run("eventlog export --log h").output
    let stored = try String(
      contentsOf: shell.folder.appending(path: "h/0000000000000001.jsonl"), encoding: .utf8)
    #expect(exported == stored)
    #expect(exported.unicodeScalars.contains("\u{202e}"))
    let rows = try shell.run(
      "eventlog project profiles --log h --format json --limit 0 --unknown skip"
    ).output
    guard case .array(let values) = try JSONValue(rows) else {
      Issue.record("no array: \(rows)")
      return
    }
    #expect(Set(values.compactMap { $0["displayName"]?.text }) == Set(Self.texts.map(jsonText)))
    let table = try shell.run("eventlog project profiles --log h --limit 0 --unknown skip").output
    #expect(acted(table) == nil && !table.unicodeScalars.contains("\r"))
  }

  @Test("No cell of a CSV begins like a formula, except numbers")
  func formulas() throws {
    let shell = try Shell()
    defer { shell.remove() }
    try log(in: shell)
    var texts = 0
    for command in Self.commands {
      let all = try shell.run("eventlog \(command) --log h --format csv --limit 0")
      var text = all.output
      // A command without a limit refuses one.
      if all.code == 64 || Sweep.chosen != .short {
        text += try shell.run("eventlog \(command) --log h --format csv").output
      }
      for cell in Self.cells(text) {
        if let first = cell.unicodeScalars.first, "=+-@＝＋－＠\t\r".unicodeScalars.contains(first) {
          #expect(Double(cell) != nil, "\(command): \(cell.debugDescription)")
        }
        if cell.hasPrefix("'=") || cell.hasPrefix("'@") { texts += 1 }
      }
    }
    #expect(texts > 20, "formulas are there to be guarded")
  }

  private func jsonText(_ text: String) -> String { JSONValue.string(text).text }

  /// The cells of a CSV (RFC 4180).
  private static func cells(_ text: String) -> [String] {
    var (cells, cell, isQuoted) = ([String](), "", false)
    var scalars = Array(text.unicodeScalars)[...]
    while let scalar = scalars.popFirst() {
      switch scalar {
      case "\"" where isQuoted && scalars.first == "\"":
        cell.unicodeScalars.append(scalar)
        scalars.removeFirst()
      case "\"": isQuoted.toggle()
      case "," where !isQuoted, "\n" where !isQuoted:
        cells.append(cell)
        cell = ""
      default: cell.unicodeScalars.append(scalar)
      }
    }
    return cells + [cell]
  }
}
