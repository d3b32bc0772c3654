import Events

extension StatePath {
  /// What a piece of state is.
  public enum Value: Equatable, Sendable { case number, text, truth, list }

  /// A kind of pieces of state: the first word of their paths, what follows it, and which events
  /// bear on them.
  ///
  /// ```swift
  /// StatePath.Kind.comments.idNames  // ["WORKOUT"]
  /// ```
  /// A projection declares those it has (`ExplainedProjection.kinds`). Two are equal if their names
  /// are.
  public struct Kind: Equatable, Hashable, Sendable {
    public let name: String
    /// What stands between the slashes.
    public let idNames: [String]
    /// What may stand between them, where that is one of a few words.
    let choices: [String: [String]]
    /// What it is without a member; nil where only its members are.
    public let root: Value?
    /// The members there are, beside `count` of a list. `*` stands for a word of any kind.
    public let members: [String: Member]
    /// Whose ids the values are, or the items of the list.
    let rootIDs: NamedID.Kind?
    /// Whether the count of the list is a piece of state itself, there even where the list is not.
    let countsEmptyLists: Bool
    /// The types that can bear on it.
    let types: EventTypes
    /// Those of which an event that changes nothing visible has no effect at all.
    let visible: EventTypes
    /// The lists of the index that a path's own events are in, of the ids in the path.
    let sources: [Mentions.Role]
    /// The lists that an event of a path's history leads to, of the first id in it that fits.
    let leads: [EventType: [Mentions.Role]]

    /// - Parameters:
    ///   - ids: what stands between the slashes: `USER`, `WORKOUT`, `COMMENT`, `HANDLE`, or another
    ///     word for what is no id of an event.
    ///   - choices: for such a word, what it may be; anything if it is not here.
    ///   - types: the types that can bear on it.
    ///   - visible: those of which an event that changes nothing visible has no effect at all.
    ///   - sources: where in the log its events are, by the ids of the path.
    ///   - leads: where else, by the ids of those events.
    public init(
      _ name: String, of ids: [String], choices: [String: [String]] = [:], root: Member? = nil,
      members: [String: Member] = [:], countsEmptyLists: Bool = false, types: EventTypes,
      visible: EventTypes = [],
      sources: [Mentions.Role], leads: [EventType: [Mentions.Role]] = [:]
    ) {
      self.name = name
      idNames = ids
      self.choices = choices
      self.root = root?.value
      rootIDs = root?.ids
      self.members = members
      self.countsEmptyLists = countsEmptyLists
      self.types = types
      self.visible = visible
      self.sources = sources
      self.leads = leads
    }

    public static func == (a: Kind, b: Kind) -> Bool { a.name == b.name }
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }

  /// What stands after the point, or the kind itself.
  public struct Member: Equatable, Sendable {
    public var value: Value
    /// Whose ids the value is, or the items of the list.
    var ids: NamedID.Kind?
    /// The types of event that say something of it; nil for those that have a member of its name.
    var setBy: EventTypes?

    public static let number = Member(value: .number)
    public static let text = Member(value: .text)
    public static let truth = Member(value: .truth)
    public static let list = Member(value: .list)
    public static func id(of kind: NamedID.Kind) -> Member { Member(value: .text, ids: kind) }
    public static func list(of kind: NamedID.Kind) -> Member { Member(value: .list, ids: kind) }

    public func set(by types: EventTypes) -> Member {
      var copy = self
      copy.setBy = types
      return copy
    }
  }
}

extension StatePath.Kind {
  /// Whether its paths name two users, so that one of them alone says whose state it is, too.
  var isOfPair: Bool { idNames == ["USER", "USER"] }

  /// The member of some words: its own, or the one whose `*` stands for one of them.
  func member(_ words: some Collection<String>) -> StatePath.Member? {
    members[words.joined(separator: ".")]
      ?? members.first { name, _ in
        let pattern = name.split(separator: ".")
        return name.contains("*") && pattern.count == words.count
          && zip(pattern, words).allSatisfy { $0 == "*" || $0 == $1 }
      }?.value
  }

  /// Whether a member, or the beginning of one, is there.
  func hasMember(_ words: [String]) -> Bool {
    if words.last == "count", words.count <= 2 {
      let list = words.count == 1 ? root : members[words[0]]?.value
      if list == .list { return true }
    }
    return members.keys.contains { name in
      let pattern = name.split(separator: ".")
      return pattern.count >= words.count
        && zip(pattern, words).allSatisfy { $0 == "*" || $0 == $1 }
    }
  }

  /// The members without those that have a `*`, as they are offered.
  public var plainMembers: [String] { members.keys.filter { !$0.contains("*") }.sorted() }
}
