import Events
import Foundation
import Projections

/// The answers' members, read from the sources that write them as JSON, for use in the documents.
struct AnswerDocument {
  /// A type that conforms to `Answer`.
  struct Kind {
    var name: String
    var members: [Member] = []
    /// The types whose members it also has.
    var includes: [String] = []
    /// The members of the objects in a list that has no type of its own here.
    var nested: [String] = []
    var comment = ""
  }

  struct Member {
    var name: String
    var type: String?
    var comment: String
  }

  private(set) var kinds: [Kind] = []
  /// The Swift type that each use case answers with.
  private(set) var results: [String: String] = [:]

  init(_ repository: URL) throws {
    let folder = repository.appending(path: "Sources/UseCases")
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    let sources = (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
      .sorted { $0.path < $1.path }
    for source in sources {
      let text = try String(contentsOf: source, encoding: .utf8)
      let name = source.deletingPathExtension().lastPathComponent
      let lines = text.components(separatedBy: "\n")
      for (number, line) in lines.enumerated() {
        guard let match = line.firstMatch(of: /^( *)public struct (\w+): Answer \{$/) else {
          continue
        }
        let indent = String(match.1)
        let end = lines[number...].firstIndex(of: indent + "}") ?? lines.count
        var kind = Self.kind(Array(lines[number + 1..<end]))
        kind.name = indent.isEmpty ? String(match.2) : "\(name).\(match.2)"
        kind.comment = Self.comment(before: number, lines)
        if kind.name != "Nothing" { kinds.append(kind) }
      }
      if let match = text.firstMatch(
        of: /func (?:answer|decide)\([^{]*?throws\(UseCaseError\) -> ([^{]+?) \{/)
      {
        results[name] = String(match.1)
      }
    }
  }

  private static func kind(_ lines: [String]) -> Kind {
    var kind = Kind(name: "")
    var properties: [String: (type: String, comment: String)] = [:]
    for (number, line) in lines.enumerated() {
      guard let match = line.firstMatch(of: /^ *public var (\w+)(.*)$/) else { continue }
      let (name, rest) = (String(match.1), String(match.2))
      var type = "Bool"
      if let match = rest.firstMatch(of: /^: ([^={]+?)(?: =.*| \{.*)?$/) {
        type = String(match.1)
      } else if let match = rest.firstMatch(of: /^ = (\[?\w+\]?)\(/) {
        type = String(match.1)
      }
      if properties[name] == nil { properties[name] = (type, comment(before: number, lines)) }
    }
    let start =
      lines.firstIndex { $0.contains(/^ *(?:public )?var (?:json: JSONValue|members:)/) }
      ?? lines.count
    let parts = lines[start...].joined(separator: "\n").components(
      separatedBy: "private static func json")
    // The text after the members is the type's initializer.
    let json = parts[0].components(separatedBy: " init(")[0]
    func keys(_ text: String) -> [String] {
      var seen: Set<String> = []
      // The first text in the pattern is a member that `json` adds in front of the others.
      let all = text.matches(of: /"(\w+)": |\.init\(\s*"(\w+)"/).map { String($0.1 ?? $0.2 ?? "") }
      return all.filter { seen.insert($0).inserted }
    }
    let names = keys(json)
    kind.members = names.map { name in
      Member(
        name: name, type: properties[name]?.type, comment: properties[name]?.comment ?? "")
    }
    for match in json.matches(of: /(\w+)\.members|= (\w+)\.json else/) {
      if let type = properties[String(match.1 ?? match.2 ?? "")]?.type {
        kind.includes.append(type)
      }
    }
    if parts.count > 1 { kind.nested = keys(parts[1]) }
    return kind
  }

  private static func comment(before number: Int, _ lines: [String]) -> String {
    var words: [String] = []
    for line in lines[..<number].reversed() {
      let text = line.trimmingCharacters(in: .whitespaces)
      guard text.hasPrefix("///") else { break }
      words.insert(text.dropFirst(3).trimmingCharacters(in: .whitespaces), at: 0)
    }
    return words.joined(separator: " ").replacing(/\b[Nn]il\b/) {
      $0.output.first == "N" ? "Null" : "null"
    }
  }

  /// A Swift type in the words of the documents, with links to answers.
  func word(_ type: String) -> String {
    if type.hasSuffix("?") { return word(String(type.dropLast())) + " or null" }
    if type.hasPrefix("["), type.hasSuffix("]"), !type.contains(":") {
      return "list of " + word(String(type.dropFirst().dropLast()))
    }
    if let kind = kinds.first(where: { $0.name == type || $0.name.hasSuffix("." + type) }) {
      return "[\(kind.name)](#\(Self.anchor(kind.name)))"
    }
    switch type {
    case "Int", "Int64": return "integer"
    case "Double": return "number"
    case "Bool": return "true or false"
    case "Timestamp", "DateTime": return "date and time"
    case "CalendarDate": return "date"
    case "Interval": return "object"
    case "Relationships.Relationship":
      return Self.choice(Relationships.Relationship.allCases.map(\.rawValue))
    case "Audience": return Self.choice(Audience.allCases.map(\.rawValue))
    case "ReactionKind": return Self.choice(ReactionKind.allCases.map(\.rawValue))
    case "SkillLevel": return Self.choice(SkillLevel.allCases.map(\.rawValue))
    default: return "text"
    }
  }

  private static func choice(_ words: [String]) -> String {
    words.map { "`\($0)`" }.joined(separator: ", ")
  }

  private static func anchor(_ name: String) -> String {
    name.lowercased().filter { $0.isLetter || $0.isNumber }
  }

  /// The type of a use case's answer if its members are listed, otherwise nil.
  func result(of useCase: String, in kind: String? = nil) -> String? {
    let name = useCase.hasPrefix("Refresh") ? "Get" + useCase.dropFirst(7) : useCase
    guard let type = results[name] else { return nil }
    // A type declared in the use case has precedence.
    let own = kinds.first { $0.name == "\(name).\(Self.bare(type))" }
    let text = own.map { type.replacingOccurrences(of: Self.bare(type), with: $0.name) } ?? type
    let word = word(text)
    return word.contains("](#") ? word : nil
  }

  private static func bare(_ type: String) -> String {
    type.trimmingCharacters(in: CharacterSet(charactersIn: "[]?"))
  }

  var section: String {
    var text = """

      ## Answers

      The members of answers that are objects. The names are the same in JSON and in Swift. A
      member that may be null is always present.

      """
    for kind in kinds {
      text += "\n### \(kind.name)\n"
      if !kind.comment.isEmpty { text += "\n\(kind.comment)\n" }
      for type in kind.includes { text += "\nAll members of \(word(type)), and:\n" }
      guard !kind.members.isEmpty else {
        text += "\nOne member for each kind of reaction, with its number.\n"
        continue
      }
      text += "\n| member | type | meaning |\n|---|---|---|\n"
      for member in kind.members {
        text += "| `\(member.name)` | \(member.type.map(word) ?? "text") | \(member.comment) |\n"
      }
      if !kind.nested.isEmpty {
        text += "\nEach object in its list has "
        text += kind.nested.map { "`\($0)`" }.joined(separator: ", ") + ".\n"
      }
    }
    return text
  }
}
