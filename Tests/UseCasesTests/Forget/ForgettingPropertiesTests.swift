import Aggregates
import Events
import FaultTesting
import Foundation
import Projections
import PropertyTesting
import Testing
import UseCases

/// Forgetting a person changes nothing about anybody else, at any revision.
@Suite struct ForgettingPropertiesTests {
  /// A log in its own folder, which is deleted with the object.
  final class Folder: Sendable {
    let path = NSTemporaryDirectory() + "eventlog-forget-" + UUID().uuidString
    var log: String { path + "/log" }
    init() {
      try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ history: GeneratedHistory) async throws {
      let log = try FileLog(path: log, creating: true, segmentSize: 6_000)
      for result in await log.append(history.newEvents.map { Commit([$0]) }) {
        _ = try result.get()
      }
    }

    func forget(_ request: ForgettingRequest, rules: Rules = .climb) async throws
      -> Forgetting.Report
    {
      try await Forgetting(path: log, rules: rules, photos: PhotoFolder(path + "/photos"))
        .forget(request)
    }

    var bytes: [String: [UInt8]] {
      var found: [String: [UInt8]] = [:]
      for name in FileManager.default.enumerator(atPath: path)?.compactMap({ $0 as? String }) ?? []
      {
        found[name] = FileManager.default.contents(atPath: path + "/" + name).map(Array.init)
      }
      return found
    }
  }

  /// The words of the new log that replace those of the old one, found without the code under test:
  /// ids come in the same order in both, and so do the handles of each profile.
  struct Renaming {
    private var words: [String: String] = [:]
    /// The ids of the people and of their items.
    private var own: Set<String>

    init(_ old: LogView, _ new: LogView, _ people: [String]) throws {
      own = Set(people)
      var (oldNames, newNames) = (Names(), Names())
      var (oldHandles, newHandles): ([String], [String]) = ([], [])
      func handle(_ event: borrowing Event) -> String? {
        switch event {
        case .profile(.created(let data)): data.handle
        case .profile(.edited(let data)): data.handle.value
        default: nil
        }
      }
      var made: Set<AnyID> = []
      let ids = Set(people)
      var events: [Event] = []
      let head = try old.head().seq
      try old.forEachTypedEvent(&oldNames) { event, _, _ in
        if let handle = handle(event) { oldHandles.append(handle) }
        events.append(copy event)
      }
      try new.forEachTypedEvent(until: head, &newNames) { event, _, _ in
        if let handle = handle(event) { newHandles.append(handle) }
      }
      #expect(oldHandles.count == newHandles.count)
      for (old, new) in zip(oldHandles, newHandles) where old != new { words[old] = new }
      for kind in IDKind.allCases {
        #expect(oldNames.count(of: kind) == newNames.count(of: kind))
        for (old, new) in zip(oldNames.all(of: kind), newNames.all(of: kind)) { words[old] = new }
      }
      for event in events {
        switch event {
        case .workout(.shared(let data)):
          if ids.contains(oldNames[data.owner]) { made.insert(AnyID(data.workout)) }
        case .comment(.posted(let data)):
          if ids.contains(oldNames[data.user]) { made.insert(AnyID(data.comment)) }
        case .conversation(.sent(let data)):
          if ids.contains(oldNames[data.sender]) { made.insert(AnyID(data.message)) }
        case .report(.reported(let data)):
          if ids.contains(oldNames[data.user]) { made.insert(AnyID(data.report)) }
        // The author of a group's description changes with the editor.
        case .group(.created(let data)): made.insert(AnyID(data.group))
        default: break
        }
      }
      own.formUnion(made.map { oldNames[$0] })
    }

    func callAsFunction(_ text: String) -> String {
      if let word = words[text] { return word }
      var (out, word) = ("", "")
      for character in text + " " {
        if character.isASCII, character.isLetter || character.isNumber || "_-".contains(character) {
          word.append(character)
        } else {
          out += (words[word] ?? word) + String(character)
          word = ""
        }
      }
      return String(out.dropLast())
    }

    func callAsFunction(_ value: JSONValue) -> JSONValue {
      switch value {
      case .string(let text): .string(self(text))
      case .array(let values): .array(values.map { self($0) }.sorted { $0.text < $1.text })
      default: value
      }
    }

    /// Whether a fact is an index entry with a person's name. The index ignores a handle's case,
    /// but two handles that differ only in case get two pseudonyms; otherwise a change between them
    /// would not be an edit.
    func isName(_ fact: Fact) -> Bool {
      guard case .string(let text) = fact.value else { return false }
      let names = own.union(own.compactMap { words[$0] })
      return fact.path.hasPrefix("handle/") && names.contains(text)
        || fact.path.hasPrefix("search/") && names.contains(String(fact.path.dropFirst(7)))
    }

    /// Whether a path leads to something of the people, whose texts have changed.
    func isOwn(_ path: String) -> Bool {
      path.split { "/.\"".contains($0) }.contains { own.contains(String($0)) }
    }
  }

  private static func sorted(_ value: JSONValue) -> JSONValue {
    if case .array(let values) = value {
      .array(values.sorted { $0.text < $1.text })
    } else {
      value
    }
  }

  /// Compares every fact of every projection after each event, in the old log with renamed words
  /// and in the new one.
  static func compare(_ old: LogView, _ new: LogView, _ renaming: Renaming) throws {
    var (before, after) = (Replay<Views>(), Replay<Views>())
    for position in 1...(try old.head().seq) {
      try before.apply(old, until: position)
      try after.apply(new, until: position)
      var known: [String: JSONValue] = [:]
      for fact in after.projection.facts(after.names) { known[fact.path] = fact.value }
      let facts = before.projection.facts(before.names).filter { !renaming.isName($0) }
      known = known.filter { !renaming.isName(Fact($0.key, $0.value)) }
      // The photo's path is left out.
      #expect(known.count <= facts.count, "revision \(position)")
      for fact in facts {
        let path = renaming(fact.path)
        let value = renaming(fact.value)
        if let found = known.removeValue(forKey: path) {
          let isSame = sorted(found) == value || found == fact.value
          let isBlank = renaming.isOwn(fact.path) && isBlank(found)
          #expect(isSame || isBlank, "revision \(position), \(fact.path): \(value), now \(found)")
        } else {
          #expect(renaming.isOwn(fact.path), "revision \(position): \(fact.path) is gone")
        }
      }
      #expect(known.isEmpty, "revision \(position): \(known.keys.sorted())")
      if !known.isEmpty { return }
    }
  }

  /// Whether a value can replace a person's text or location.
  private static func isBlank(_ value: JSONValue) -> Bool {
    switch value {
    case .string(let text):
      ["-", "+", ""].contains(text) || text.allSatisfy(\.isNumber) || text.hasSuffix(" -")
        || text.hasSuffix(" +") || text.contains(" / - / ") || text.hasSuffix(": -")
        || text.hasSuffix(": +")
        || text.contains("\"-\"") || text.contains("\"+\"")
    case .number(let text): ["0", "1"].contains(text)
    case .array(let values): values.allSatisfy { isBlank($0) || $0 != .null }
    case .null, .bool, .object: false
    }
  }

  /// The people in a history's events, sorted by name.
  private static func people(of history: GeneratedHistory) -> [String] {
    let users = Set(history.entries.flatMap { $0.event.users + [$0.actor] })
    return users.map { history.names[$0] }.filter { !$0.hasPrefix(Names.servicePrefix) }.sorted()
  }

  @Test("In random histories, all projections at every revision are the same, with renamed words")
  func sameForOthers() async throws {
    try await check(runs: Sweep.size(12, 30, 300)) { t in
      let rules = t.draw(.element(of: Rules.presets))
      let history = t.draw(.history(max: 60, users: 5, rules: rules), "history")
      let people = Self.people(of: history)
      if people.isEmpty { return }
      let person = t.draw(.element(of: people), "person")
      let (one, other) = (Folder(), Folder())
      try await one.write(history)
      try await other.write(history)
      let report = try await other.forget(ForgettingRequest(people: [person]), rules: rules)
      #expect(report.events > 0)
      let (old, new) = (try LogView(path: one.log), try LogView(path: other.log))
      let verified = try new.verify()
      #expect(verified.head.seq == report.head)
      for position in 1...(try old.head().seq) {
        let (before, after) = (try old.line(at: position)?.event, try new.line(at: position)?.event)
        #expect(before?.time == after?.time && before?.type == after?.type)
        #expect(before?.rev == after?.rev)
      }
      let renaming = try Renaming(old, new, [person])
      try Self.compare(old, new, renaming)
      let held = RuleHistory(rules)
      let (before, after) = (try Check(old, by: held), try Check(new, by: held))
      // An import's faults may disappear, such as a text set to the same value.
      #expect(after.forbidden <= before.forbidden, "\(after.findings), before \(before.findings)")
      #expect(after.brokenInvariant == nil)
    }
  }

  @Test("Forgetting two people gives the same log in either order or both at once")
  func order() async throws {
    try await check(runs: Sweep.size(6, 20, 100)) { t in
      let history = t.draw(.history(max: 50, users: 4), "history")
      let people = Self.people(of: history)
      guard people.count >= 2 else { return }
      let (a, b) = (people[0], people[1])
      var lines: [[String]] = []
      for requests in [[[a], [b]], [[b], [a]], [[a, b]], [[a, b], []]] {
        let folder = Folder()
        try await folder.write(history)
        for people in requests where !people.isEmpty {
          _ = try await folder.forget(ForgettingRequest(people: people))
        }
        lines.append(try Self.anonymous(LogView(path: folder.log), until: UInt64(history.count)))
      }
      #expect(lines[0] == lines[2])
      #expect(lines[1] == lines[2])
      #expect(lines[3] == lines[2])
    }
  }

  /// The lines without sums and ids of events, their pseudonyms numbered by appearance.
  private static func anonymous(_ view: LogView, until last: UInt64) throws -> [String] {
    var numbers: [String: Int] = [:]
    var lines: [String] = []
    try view.forEachLine(until: last) { line in
      let event = line.event
      var text = "\(event.seq) \(event.type) \(event.stream) \(event.rev) \(event.actor) "
      text += String(decoding: event.data, as: UTF8.self)
      var out = ""
      var rest = Substring(text)
      while let range = rest.range(of: "gone_") {
        let word = String(rest[range.lowerBound...].prefix(20))
        let number = numbers[word] ?? numbers.count
        numbers[word] = number
        out += rest[..<range.lowerBound] + "<\(number)>"
        rest = rest[range.lowerBound...].dropFirst(20)
      }
      out += rest
      // The position up to which somebody has read is another event's id.
      lines.append(out.replacing(/"upTo":"[^"]*"/, with: ""))
      return true
    }
    // The order of a pair's ids in the name of a stream depends on the pseudonyms.
    return lines.map { $0.replacing(/(friendship|conversation)\/[^ ]*/, with: "") }
  }
}
