#if os(Linux)  // the system that counts the bytes a process reads
  import FaultTesting
  import Foundation
  import Testing

  /// A second run of a command does not read the log from its beginning again.
  @Suite struct TwiceTests {
    /// The commands that read the whole log, each with its reason.
    static let readsAll: [String: String] = [
      "janitor": "photos are in events anywhere", "page": "it puts every line into a page",
      "verify": "it is the check of every line", "check": "it judges every event",
      "replay": "it rebuilds everything from the text", "export": "it writes every line out",
      "repair": "it makes a new log of the old one", "stats": "it counts every line",
      "scan": "it checks every line",
      "import": "it is given events from elsewhere", "generate": "it makes a log",
      "forget": "it writes the log anew", "backup": "it copies every line",
      "restore": "it is given a backup", "init": "it makes a log",
      "run": "it is given commands from elsewhere",
      "completions": "it reads no log", "accounts": "it reads no log",
      "clone": "it fetches all of another log", "mirror": "it needs a database",
      "pull": "it needs a clone", "push": "it needs a clone", "remote": "it needs a clone",
      "bisect": "its command may read what it likes", "shrink": "so may its command",
      "what-if": "it lives through another history", "gen-test": "it looks for whom a test needs",
      "debug": "it is a session", "serve": "it opens the log as do does, and then serves",
      "diff": "it reads what happened before to all whom its events name",
    ]

    /// The other commands, some with several questions; W is a workout's id.
    static let asks: [String: [String]] = [
      "do": ["ToggleFollow followee=u2 --as u1"],
      "log": ["-n 3 --oneline", "--correlation nobody"], "refusals": [""],
      "show": [Sweep.chosen == .short ? "29002" : "99001"],
      "project": ["followers", "followers --user u1", "feed --user u1", "search --query an"],
      "checkpoint": ["everything"],
      "paths": ["profile/u1"], "rules": [""], "history": ["followers/u1.count"],
      "blame": ["profile/u1"], "why": ["profile/u1.handle"],
      "why-not": ["FollowUser followee=u2 --as u1"],
      "watch": ["'profile/u1.isPublic == true'"], "bookmark": [""],
      "notify": ["--position push.position"],
    ]

    /// The number of bytes that a command read, and its exit code.
    private func reads(_ command: String, _ shell: Shell) throws -> (code: String, bytes: Int) {
      let result = try shell.run(
        """
        before=$(sed -n 's/rchar: //p' /proc/$$/io)
        \(command) >out 2>err; code=$?
        after=$(sed -n 's/rchar: //p' /proc/$$/io)
        echo "$code $((after - before))"
        """)
      let words = result.output.split(whereSeparator: \.isWhitespace)
      return (String(words[0]), try #require(Int(words[1])))
    }

    @Test("A second run reads less than a tenth of the log, except in commands that read all of it")
    func twice() throws {
      let shell = try Shell()
      defer { shell.remove() }
      let log: GeneratedLog = Sweep.chosen == .short ? .medium : .large
      try log.copy(to: "my.log", in: shell)
      let made = try shell.run(
        """
        cat my.log/*.jsonl | wc -c
        grep -m1 -o '"workout":"[^"]*"' my.log/*1.jsonl | cut -d'"' -f4
        eventlog do --list --format json
        eventlog --help | sed -n 's/^  \\([a-z-]*\\)  .*/\\1/p'
        """)
      let lines = made.output.split(separator: "\n", maxSplits: 2).map(String.init)
      let (size, workout) = (try #require(Int(lines[0])), lines[1])
      let end = try #require(
        lines[2].range(of: "\n]\n")?.upperBound ?? lines[2].firstIndex(of: "\n"))
      let useCases = try #require(
        JSONSerialization.jsonObject(with: Data(lines[2][..<end].utf8)) as? [[String: Any]])
      let commands = lines[2][end...].split(separator: "\n").map(String.init)
      #expect(commands.count > 25 && useCases.count > 60)
      var questions: [String] = []
      for command in commands where Self.readsAll[command] == nil {
        let asks = try #require(Self.asks[command], "\(command) is in neither list")
        questions += asks.map { "\(command) \($0)" }
      }
      let values = [
        "user": "u1", "handle": "nobody", "query": "an", "followee": "u2", "other": "u2",
        "workout": workout, "period": "week", "containing": "2026-01-10",
      ]
      for useCase in useCases where useCase["writes"] as? Bool == false {
        let fields = useCase["fields"] as? [[String: Any]] ?? []
        let words = fields.compactMap { field -> String? in
          guard field["required"] as? Bool == true, let name = field["name"] as? String else {
            return nil
          }
          return "\(name)=\(values[name] ?? "1")"
        }
        questions.append("do \(useCase["name"] ?? "") \(words.joined(separator: " ")) --as u1")
      }
      for question in stride(from: 0, to: questions.count, by: Sweep.size(8, 1, 1)).map({
        questions[$0]
      }) {
        let command = "eventlog \(question) --log my.log"
        let first = try reads(command, shell)
        let second = try reads(command, shell)
        let err = try shell.run("cat err").output
        #expect(
          ["0", "1"].contains(second.code) && first.code == second.code, "\(command): \(err)")
        #expect(
          second.bytes < size / 10,
          "\(command) reads \(second.bytes) bytes of \(size)")
      }
    }
  }
#endif
