import Events

extension Expression {
  /// A recursive-descent parser of expressions. It keeps each part's position for error messages.
  struct Parser {
    private let characters: [Character]
    private let catalogue: Catalogue
    private var at = 0
    private var depth = 0
    var paths: [StatePath] = []
    var ids: [NamedID] = []

    init(_ text: String, _ catalogue: Catalogue) {
      characters = StatePath.Reader.characters(of: text)
      self.catalogue = catalogue
    }

    /// A part of the expression. `kind` is the type of its value; nil for `none`.
    private struct Part {
      var node: Node
      var kind: StatePath.Value?
      var start: Int
      /// Whether the part is only the name of a kind of paths, so that its id may be missing.
      var isBare = false
    }

    mutating func whole() throws(Fault) -> Node {
      let part = try condition(either())
      skipSpace()
      if at < characters.count {
        throw Fault(
          at, "unexpected '\(characters[at])'; conditions are joined by and, or")
      }
      return part.node
    }

    private mutating func either() throws(Fault) -> Part {
      var left = try both()
      while take(word: "or") || take("||") {
        left.node = .or(try condition(left).node, try condition(both()).node)
        left.kind = .truth
      }
      return left
    }

    private mutating func both() throws(Fault) -> Part {
      var left = try negation()
      while take(word: "and") || take("&&") {
        left.node = .and(try condition(left).node, try condition(negation()).node)
        left.kind = .truth
      }
      return left
    }

    private mutating func negation() throws(Fault) -> Part {
      skipSpace()
      let start = at
      guard take(word: "not") || !comes("!=") && take("!") else { return try comparison() }
      depth += 1
      defer { depth -= 1 }
      if depth > 100 { throw Fault(at, "nested too deeply") }
      return Part(node: .not(try condition(negation()).node), kind: .truth, start: start)
    }

    private mutating func comparison() throws(Fault) -> Part {
      let left = try operand()
      skipSpace()
      let start = at
      guard
        let comparison = Comparison.allCases.first(where: {
          $0 == .contains ? take(word: $0.rawValue) : take($0.rawValue)
        })
      else {
        if comes("=") {
          throw Fault(at, "write == to compare")
        }
        try checkBare(left)
        return left
      }
      let right = try operand()
      // In a comparison with a path, a word such as 'friends' may be a relationship.
      if case .path = right.node, comparison != .contains {} else { try checkBare(left) }
      try check(comparison, left, right, start)
      note(left, right)
      note(right, left)
      return Part(
        node: .compare(comparison, left.node, right.node), kind: .truth, start: left.start)
    }

    /// Throws if the part is only the name of a kind of paths, and so lacks its id.
    private func checkBare(_ part: Part) throws(Fault) {
      guard part.isBare, case .constant(.text(let word)) = part.node,
        let kind = catalogue.kind(word)
      else { return }
      throw Fault(
        part.start,
        "'\(word)' needs an id: write "
          + "\(word)/\(kind.idNames.joined(separator: "/"))")
    }

    /// If the values at `path` are ids and `word` is a text, adds the text to `ids` as an id.
    private mutating func note(_ path: Part, _ word: Part) {
      guard case .path(let path) = path.node, let kind = path.valueKind,
        case .constant(.text(let id)) = word.node
      else { return }
      ids.append(NamedID(kind, id, offset: word.start))
    }

    /// Throws if the values of two parts have types that cannot be compared.
    private func check(
      _ comparison: Comparison, _ left: Part, _ right: Part, _ start: Int
    ) throws(Fault) {
      switch comparison {
      case .contains:
        guard left.kind == .list || left.kind == .text else {
          throw Fault(start, "contains searches a list or a text, not \(name(left.kind))")
        }
        if right.kind != .text {
          throw Fault(right.start, "contains searches for a text, not \(name(right.kind))")
        }
      case .equal, .unequal:
        guard let a = left.kind, let b = right.kind else { return }
        if a != b || a == .list {
          throw Fault(
            right.start,
            a == .list
              ? "a list cannot be compared; use contains or its .count"
              : "\(name(a)) is compared with \(name(b))")
        }
        try checkWord(left, right)
        try checkWord(right, left)
      case .less, .atMost, .more, .atLeast:
        guard left.kind == right.kind, left.kind == .number || left.kind == .text else {
          throw Fault(
            right.start,
            "\(comparison.rawValue) compares two numbers or two texts, not "
              + "\(name(left.kind)) with \(name(right.kind))")
        }
      }
    }

    /// Throws if a path of a relationship is compared with a word that is not a relationship.
    private func checkWord(_ path: Part, _ word: Part) throws(Fault) {
      guard case .path(let path) = path.node, path.kind == .relationship,
        case .constant(.text(let text)) = word.node
      else { return }
      let words = Relationships.Relationship.allCases.map { $0.rawValue }
      if !words.contains(text) || text == "self" {
        throw Fault(
          word.start, "there is no relationship '\(text)'", found: text,
          choices: words.filter { $0 != "self" })
      }
    }

    private func name(_ kind: StatePath.Value?) -> String {
      switch kind {
      case .number?: "a number"
      case .text?: "a text"
      case .truth?: "true or false"
      case .list?: "a list"
      case nil: "none"
      }
    }

    /// Returns the part if its value is true or false; throws otherwise.
    private func condition(_ part: Part) throws(Fault) -> Part {
      guard part.kind == .truth else {
        throw Fault(
          part.start,
          "\(name(part.kind)) is not a condition; compare it, as in "
            + "followers/alice.count > 100")
      }
      return part
    }

    private mutating func operand() throws(Fault) -> Part {
      skipSpace()
      let start = at
      guard at < characters.count else {
        throw Fault(at, "a path or a value is expected at the end")
      }
      if take("(") {
        depth += 1
        defer { depth -= 1 }
        if depth > 100 { throw Fault(at, "nested too deeply") }
        var part = try either()
        skipSpace()
        if !take(")") { throw Fault(start, "this parenthesis is not closed") }
        part.start = start
        return part
      }
      if comes("\"") {
        return Part(node: .constant(.text(try quoted())), kind: .text, start: start)
      }
      let end = characters[at...].firstIndex { !isWordPart($0) } ?? characters.count
      let word = String(characters[at..<end])
      if let number = Double(word), word.allSatisfy({ $0.isNumber || "-.e".contains($0) }) {
        at = end
        return Part(node: .constant(.number(number)), kind: .number, start: start)
      }
      // A word such as 'followers.count' is a path without its id. The error message should say so.
      let kind = word.split(separator: ".", omittingEmptySubsequences: false)
      if word.contains("/") || kind.count > 1 && catalogue.kind("\(kind[0])") != nil {
        return try path()
      }
      if word.isEmpty {
        throw Fault(at, "a path or a value is expected, not '\(characters[at])'")
      }
      at = end
      switch word {
      case "true": return Part(node: .constant(.truth(true)), kind: .truth, start: start)
      case "false": return Part(node: .constant(.truth(false)), kind: .truth, start: start)
      case "none": return Part(node: .constant(.none), kind: nil, start: start)
      default:
        return Part(
          node: .constant(.text(word)), kind: .text, start: start,
          isBare: catalogue.kind(word) != nil)
      }
    }

    private mutating func path() throws(Fault) -> Part {
      var reader = StatePath.Reader(characters, catalogue)
      reader.at = at
      let start = at
      let path = try reader.path()
      guard let kind = path.type else {
        let ids = path.kind.idNames
        throw Fault(
          start,
          path.ids.count < ids.count
            ? "'\(path.text)' has many values; use \(path.kind.name)/\(ids.joined(separator: "/"))"
            : "'\(path.text)' has members; name one after a point", found: "",
          choices: path.kind.plainMembers)
      }
      at = reader.at
      paths.append(path)
      ids += reader.ids
      return Part(node: .path(path), kind: kind, start: start)
    }

    private mutating func quoted() throws(Fault) -> String {
      let start = at
      at += 1
      var text = ""
      while at < characters.count, characters[at] != "\"" {
        if characters[at] == "\\", at + 1 < characters.count { at += 1 }
        text.append(characters[at])
        at += 1
      }
      guard at < characters.count else {
        throw Fault(start, "this quote is not closed")
      }
      at += 1
      return text
    }

    private func isWordPart(_ character: Character) -> Bool {
      character.isLetter || character.isNumber || "_-./".contains(character)
    }

    private mutating func skipSpace() {
      while at < characters.count, characters[at].isWhitespace { at += 1 }
    }

    private func comes(_ text: String) -> Bool { characters[at...].starts(with: text) }

    private mutating func take(_ text: String) -> Bool {
      skipSpace()
      guard comes(text) else { return false }
      at += text.count
      return true
    }

    private mutating func take(word: String) -> Bool {
      skipSpace()
      let end = at + word.count
      guard comes(word), end == characters.count || !isWordPart(characters[end]) else {
        return false
      }
      at = end
      return true
    }
  }
}
