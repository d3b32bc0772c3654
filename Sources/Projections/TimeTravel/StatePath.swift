import Events

/// The name of one piece of state, or of all that begin with it: `followers/alice.count`,
/// `profile/alice`, `relationship/alice/bob`, `workout`.
///
/// ```swift
/// let path = try StatePath("workout/w1.totalDistance")
/// path.kind     // .workout
/// path.ids      // ["w1"]
/// path.type     // .number
/// ```
/// `KIND/ID.MEMBER`; an id with characters other than letters, digits, `_` and `-` is quoted:
/// `profile/"001.ab".bio`, with `""` for a quote in it. A shorter path, ending before a `/` or a
/// `.`, names all pieces that begin with it.
public struct StatePath: Equatable, Hashable, Sendable {
  public let kind: Kind
  /// A user, workout, comment, handle and so on; two users; or span, period and user.
  public let ids: [String]
  /// The words after the first point.
  public let members: [String]

  /// What is wrong with a path, and at which Unicode scalar, counted from 0.
  public struct Fault: Error, Equatable, Sendable, CustomStringConvertible {
    public var offset: Int
    public var description: String
    /// The word found there, and the possible ones.
    public var found: String
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
  public init(_ text: String, in catalogue: Catalogue = .standard) throws(Fault) {
    var reader = Reader(Reader.characters(of: text), catalogue)
    let path = try reader.path()
    if reader.at < reader.characters.count {
      throw Fault(reader.at, "a path ends before \(reader.next)")
    }
    self = path
  }

  /// Its canonical form, as in facts.
  public var text: String {
    ([kind.name] + ids.map(pathWord)).joined(separator: "/")
      + members.map { "." + pathWord($0) }.joined()
  }

  /// An id as written in paths: quoted if it has characters other than letters, digits, `_` and
  /// `-`.
  public static func word(_ id: String) -> String { pathWord(id) }

  /// The type of the piece of state; nil if the path is shorter than one piece.
  public var type: Value? {
    guard ids.count == kind.idNames.count else { return nil }
    if members.isEmpty { return kind.root }
    if members.last == "count" {
      let root = Self(kind: kind, ids: ids, members: members.dropLast()).type
      if let root { return root == .list ? .number : nil }
    }
    return kind.member(members)?.value
  }

  /// Whether it names one owner of state, so that only the relevant events matter.
  public var isOfOne: Bool { ids.count == kind.idNames.count || kind.isOfPair && ids.count == 1 }

  /// Whether this path names the piece of state at another path.
  public func contains(_ path: String) -> Bool {
    let text = text
    guard path.utf8.starts(with: text.utf8) else { return false }
    guard let next = path.utf8.dropFirst(text.utf8.count).first else { return true }
    return next == UInt8(ascii: "/") || next == UInt8(ascii: ".")
  }
}

extension StatePath {
  /// Parses a path at the beginning of a text; expressions use it too.
  struct Reader {
    let characters: [Character]
    private let catalogue: Catalogue
    var at = 0
    /// The ids named in the path parsed so far.
    var ids: [NamedID] = []

    init(_ characters: [Character], _ catalogue: Catalogue) {
      self.characters = characters
      self.catalogue = catalogue
    }

    /// One per scalar: a combining mark would hide a quote.
    static func characters(of text: String) -> [Character] {
      text.unicodeScalars.map { Character($0) }
    }

    /// The character here, for a message.
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

/// A word of a path: quoted, with inner quotes doubled, if it has characters other than letters,
/// digits, _ and -.
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
