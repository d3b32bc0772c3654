import FaultTesting
import Foundation
import Testing

@testable import Events

/// The JSON grammar (RFC 8259), case by case, by the rules of Nicolas Seriot's JSONTestSuite.
///
/// The cases are our own, one for each file of the suite's `test_parsing`, under its name: 95 to
/// accept, 188 to refuse, and 35 that the RFC leaves open and that are decided here. In
/// `must-accept.txt` and its neighbours `%0A` stands for that byte, and `<500>[` for 500 brackets.
/// With `JSON_TEST_SUITE=…/test_parsing` the test also runs the original files.
@Suite struct JSONTestSuiteTests {
  struct Case: CustomStringConvertible, Sendable {
    var name: String
    var bytes: [UInt8]
    var description: String { name }
  }

  private static func cases(_ file: String) throws -> [Case] {
    let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: file)
    let text = try String(contentsOf: path, encoding: .utf8)
    return text.split(separator: "\n").map { line in
      let parts = line.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false)
      return Case(name: String(parts[0]), bytes: decoded(parts[1]))
    }
  }

  private static func decoded(_ text: Substring) -> [UInt8] {
    // `<N>` repeats the following text, up to `%<`, N times.
    if text.hasPrefix("<"), let end = text.firstIndex(of: ">"),
      let count = Int(text[text.index(after: text.startIndex)..<end])
    {
      let rest = text[text.index(after: end)...]
      let (one, next) =
        rest.range(of: "%<").map {
          (rest[..<$0.lowerBound], rest[rest.index(before: $0.upperBound)...])
        } ?? (rest, "")
      let piece = decoded(one)
      return (0..<count).flatMap { _ in piece } + decoded(next)
    }
    var out: [UInt8] = []
    var bytes = text.utf8[...]
    while let byte = bytes.popFirst() {
      if byte == UInt8(ascii: "%"), let code = UInt8(String(bytes.prefix(2)) ?? "", radix: 16) {
        out.append(code)
        bytes = bytes.dropFirst(2)
      } else {
        out.append(byte)
      }
    }
    return out
  }

  /// Cases with duplicate names in an object. They are grammatical, and RFC 8259, section 4, only
  /// advises against them. A log refuses them (faults 35), because readers differ in which value
  /// they use.
  private static let namesTwice: Set<String> = [
    "object_duplicated_key", "object_duplicated_key_and_value",
  ]

  private static func fault(_ bytes: [UInt8]) -> LineFault? {
    do throws(LineFault) {
      _ = try JSONValue(bytes, requiresObject: false)
      return nil
    } catch {
      return error
    }
  }

  /// Whether a line accepts the value as an unknown member.
  private static func isAcceptedInLine(_ bytes: [UInt8]) -> Bool {
    let head = #"{"type":"UserFollowed","actor":"a","data":{"follower":"a","followee":"b"},"x":"#
    var (parser, names) = (LineParser(), Names())
    return (try? parser.parse(Array(head.utf8) + bytes + [0x7d], names: &names)) != nil
  }

  @Test("faults 33–38: the parser accepts the 95 valid cases, except those with duplicate names")
  func mustAccept() throws {
    let cases = try Self.cases("must-accept.txt")
    #expect(cases.count == 95)
    for one in cases {
      if Self.namesTwice.contains(one.name) {
        #expect(Self.fault(one.bytes)?.kind == .duplicateMember, "\(one)")
        continue
      }
      #expect(Self.fault(one.bytes) == nil, "\(one)")
      #expect(Self.isAcceptedInLine(one.bytes), "\(one)")
      // The parsed value is written canonically and parsed again.
      let value = try JSONValue(one.bytes, requiresObject: false)
      #expect(try JSONValue(value.text) == value, "\(one)")
    }
  }

  @Test("faults 33–38: the parser refuses the 188 invalid cases")
  func mustRefuse() throws {
    let cases = try Self.cases("must-refuse.txt")
    #expect(cases.count == 188)
    for one in cases {
      let fault = Self.fault(one.bytes)
      #expect(fault != nil, "\(one)")
      #expect(fault?.kind != .duplicateMember, "\(one): refused for another reason")
      #expect((fault?.offset ?? 0) <= one.bytes.count, "\(one)")
      #expect(!Self.isAcceptedInLine(one.bytes), "\(one)")
    }
  }

  @Test("faults 32, 33, 37, 38: the 35 open cases are decided as docs/log-format.md says")
  func free() throws {
    let cases = try Self.cases("free.txt")
    #expect(cases.count == 35)
    for one in cases {
      let isAccepted = Self.fault(one.bytes) == nil
      #expect(isAccepted == one.name.hasPrefix("accept "), "\(one)")
      #expect(Self.isAcceptedInLine(one.bytes) == isAccepted, "\(one)")
    }
  }

  @Test("Foundation's score on the same cases, for comparison, is not better")
  func foundation() throws {
    func accepts(_ bytes: [UInt8]) -> Bool {
      (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) != nil
    }
    let accepted = try Self.cases("must-accept.txt").count { accepts($0.bytes) }
    // Only our parser gets the deeply nested cases, because Foundation's parser recurses.
    let refused = try Self.cases("must-refuse.txt").count {
      $0.bytes.count > 10_000 || !accepts($0.bytes)
    }
    #expect(accepted <= 95 && refused <= 188)
    Sweep.tally("of 95 accepted by JSONSerialization", accepted)
    Sweep.tally("of 188 refused by JSONSerialization", refused)
  }

  private static let original = ProcessInfo.processInfo.environment["JSON_TEST_SUITE"]

  @Test(
    "The original suite passes, if JSON_TEST_SUITE names its folder", .enabled(if: original != nil))
  func originals() throws {
    let folder = try #require(Self.original)
    let free = try Set(Self.cases("free.txt").map(\.name))
    var scores: [Character: (right: Int, all: Int)] = [:]
    for file in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() {
      guard file.hasSuffix(".json"), let kind = file.first, "yni".contains(kind) else { continue }
      let name = String(file.dropFirst(2).dropLast(5))
      let bytes = Array(try Data(contentsOf: URL(filePath: folder).appending(path: file)))
      let isAccepted = Self.fault(bytes) == nil
      let wanted =
        kind == "i"
        ? free.contains("accept \(name)") : kind == "y" && !Self.namesTwice.contains(name)
      #expect(isAccepted == wanted, "\(file)")
      scores[kind, default: (0, 0)].all += 1
      if isAccepted == wanted { scores[kind]?.right += 1 }
    }
    #expect(!scores.isEmpty, "\(folder) has no cases")
    for (kind, score) in scores {
      Sweep.tally("of \(score.all) files \(kind)_ of the original JSONTestSuite", score.right)
    }
  }
}
