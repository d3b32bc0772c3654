import Events

/// The path of one value in the state, or of all values whose paths begin with it:
/// `followers/alice.count`, `profile/alice`, `relationship/alice/bob`, `workout`.
///
/// ```swift
/// let path = try StatePath("workout/w1.totalDistance")
/// path.kind     // .workout
/// path.ids      // ["w1"]
/// path.type     // .number
/// ```
/// The form is `KIND/ID.MEMBER`, in which MEMBER is a field. An id with characters other than
/// letters, digits, `_` and `-` is quoted, with `""` for a quote in it: `profile/"001.ab".bio`. A
/// path that ends before a `/` or a `.` means all values whose paths begin with it.
public struct StatePath: Equatable, Hashable, Sendable {
  /// The kind of the path, named by its first word.
  public let kind: Kind
  /// The ids: one user, workout, comment, handle and so on; two users; or, for the leaderboard, a
  /// span, a period and a user.
  public let ids: [String]
  /// The field's name: the words after the first point.
  public let members: [String]

  /// The error if a text is not a valid path.
  public struct Fault: Error, Equatable, Sendable, CustomStringConvertible {
    /// The offset of the error in Unicode scalars, counted from 0.
    public var offset: Int
    /// The error message.
    public var description: String
    /// The word found at the error; empty if there is none.
    public var found: String
    /// The words that are possible at the error; empty if they cannot be listed.
    public var choices: [String]

    init(_ offset: Int, _ description: String, found: String = "", choices: [String] = []) {
      (self.offset, self.description) = (offset, description)
      (self.found, self.choices) = (found, choices)
    }
  }

  package init(kind: Kind, ids: [String] = [], members: [String] = []) {
    self.kind = kind
    self.ids = kind == .handle ? ids.map { $0.lowercased() } : ids
    self.members = members
  }

  /// Parses a path.
  /// It must be a path of a projection in `catalogue`.
  /// - Throws: A fault with a message and the position of the first wrong character.
  public init(_ text: String, in catalogue: Catalogue = .standard) throws(Fault) {
    var reader = Reader(Reader.characters(of: text), catalogue)
    let path = try reader.path()
    if reader.at < reader.characters.count {
      throw Fault(reader.at, "unexpected \(reader.next) after the path")
    }
    self = path
  }

  /// The path in its canonical form, as in facts.
  public var text: String {
    ([kind.name] + ids.map(pathWord)).joined(separator: "/")
      + members.map { "." + pathWord($0) }.joined()
  }

  /// Returns an id as it is written in paths, in quotes if necessary.
  public static func word(_ id: String) -> String { pathWord(id) }

  /// The type of the value at the path; nil if the path means several values.
  public var type: Value? {
    guard ids.count == kind.idNames.count else { return nil }
    if members.isEmpty { return kind.root }
    if members.last == "count" {
      let root = Self(kind: kind, ids: ids, members: members.dropLast()).type
      if let root { return root == .list ? .number : nil }
    }
    return kind.member(members)?.value
  }

  /// Whether the path is about one user, workout, pair of users or other thing. Only for such a
  /// path are the relevant events enough to compute the values.
  public var isOfOne: Bool { ids.count == kind.idNames.count || kind.isOfPair && ids.count == 1 }

  /// Returns whether another path is this path or begins with it.
  public func contains(_ path: String) -> Bool {
    let text = text
    guard path.utf8.starts(with: text.utf8) else { return false }
    guard let next = path.utf8.dropFirst(text.utf8.count).first else { return true }
    return next == UInt8(ascii: "/") || next == UInt8(ascii: ".")
  }
}

extension StatePath {
  /// A parser for a path at the beginning of a text. The parser of expressions uses it too.
  struct Reader {
    let characters: [Character]
    private let catalogue: Catalogue
    var at = 0
    /// The ids in the part of the path that is already parsed.
    var ids: [NamedID] = []

    init(_ characters: [Character], _ catalogue: Catalogue) {
      (self.characters, self.catalogue) = (characters, catalogue)
    }

    /// Returns one character per Unicode scalar; otherwise a combining mark could hide a quote.
    static func characters(of text: String) -> [Character] {
      text.unicodeScalars.map { Character($0) }
    }

    /// The character at the current position, for error messages.
    var next: String { at < characters.count ? "'\(characters[at])'" : "the end" }

    mutating func path() throws(Fault) -> StatePath {
      let start = at
      let name = plainWord()
      guard let kind = catalogue.kind(name) else {
        throw Fault(
          start, "no path begins with '\(name)'", found: name,
          choices: catalogue.kinds.map { $0.name })
      }
      var ids: [String] = []
      while take("/") {
        if at == characters.count || characters[at] == " " { break }
        if ids.count == kind.idNames.count {
          throw Fault(
            at,
            "a path of \(kind.name) has no part after the "
              + kind.idNames.joined(separator: "/"))
        }
        let (start, name) = (at, kind.idNames[ids.count])
        ids.append(try word(name))
        let choices = kind.choices[name]
        if let choices, !choices.contains(ids[ids.count - 1]) {
          throw Fault(
            start, "there is no \(kind.name) of '\(ids[ids.count - 1])'",
            found: ids[ids.count - 1], choices: choices)
        }
        if let kind = NamedID.Kind(rawValue: name) {
          self.ids.append(NamedID(kind, ids[ids.count - 1], offset: start))
        }
      }
      var members: [String] = []
      while at < characters.count, characters[at] == "." {
        at += 1
        let start = at
        members.append(try word("MEMBER"))
        if ids.count < kind.idNames.count {
          throw Fault(start - 1, "the \(kind.idNames[ids.count]) is missing before the point")
        }
        guard kind.hasMember(members) else {
          let list = kind.root == .list ? ["count"] : []
          throw Fault(
            start, "\(kind.name) has no member '\(members.joined(separator: "."))'",
            found: members.joined(separator: "."), choices: kind.plainMembers + list)
        }
      }
      return StatePath(kind: kind, ids: ids, members: members)
    }

    private mutating func take(_ character: Character) -> Bool {
      guard at < characters.count, characters[at] == character else { return false }
      at += 1
      return true
    }

    private mutating func plainWord() -> String {
      let start = at
      while at < characters.count, isPlain(characters[at]) { at += 1 }
      return String(characters[start..<at])
    }

    private mutating func word(_ what: String) throws(Fault) -> String {
      let start = at
      if take("\"") {
        var word = ""
        while at < characters.count {
          if !take("\"") {
            word.append(characters[at])
            at += 1
            continue
          }
          if !take("\"") {
            // An imported log may have an empty handle.
            if !word.isEmpty || what == "HANDLE" { return word }
            throw Fault(start, "the \(what) is empty")
          }
          word.append("\"")
        }
        throw Fault(start, "this quote is not closed")
      }
      let word = plainWord()
      if word.isEmpty {
        throw Fault(
          at,
          "\(what) is expected, not \(next); an id with other characters than "
            + "letters, digits, _ and - is quoted")
      }
      return word
    }
  }
}

private func isPlain(_ character: Character) -> Bool {
  character.isASCII && (character.isLetter || character.isNumber) || character == "_"
    || character == "-"
}

/// Returns a word as it is written in paths. If it has characters other than letters, digits, `_`
/// and `-`, it is quoted, with inner quotes doubled.
func pathWord(_ word: String) -> String {
  let isPlain = word.utf8.allSatisfy { byte in
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }
  if isPlain && !word.isEmpty { return word }
  var quoted = "\""
  for scalar in word.unicodeScalars {
    if scalar == "\"" { quoted.unicodeScalars.append(scalar) }
    quoted.unicodeScalars.append(scalar)
  }
  return quoted + "\""
}
