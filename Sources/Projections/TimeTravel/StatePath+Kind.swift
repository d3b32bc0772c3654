import Events

extension StatePath {
  /// The type of a piece of state.
  public enum Value: Equatable, Sendable { case number, text, truth, list }

  /// A kind of state: the first word of its paths, what follows it, and which events can affect it.
  ///
  /// ```swift
  /// StatePath.Kind.comments.idNames  // ["WORKOUT"]
  /// ```
  /// A projection declares its kinds (`ExplainedProjection.kinds`). Kinds are equal if their names
  /// are.
  public struct Kind: Equatable, Hashable, Sendable {
    public let name: String
    /// What its paths hold, for people: a part of a sentence, or empty.
    public let summary: String
    /// The kinds of ids between the slashes.
    public let idNames: [String]
    /// The words allowed there, if only some are.
    let choices: [String: [String]]
    /// The type of the path without a member; nil if only its members have values.
    public let root: Value?
    /// The members, besides the `count` of a list. `*` stands for any word.
    public let members: [String: Member]
    /// The kind of ids that the values or list items are.
    let rootIDs: NamedID.Kind?
    /// Whether an empty list, which has no fact, has a count all the same.
    let countsEmptyLists: Bool
    /// The types of events that can affect it.
    let types: EventTypes
    /// The types whose events have no effect at all if they change nothing visible.
    let visible: EventTypes
    /// The types whose events hide the effect of others between the same users, and show it again.
    let hiding: EventTypes
    /// The lists of the index that hold a path's own events, by the ids in the path.
    let sources: [EventIndex.Role]
    /// The lists that an event in a path's history leads to, by its first id of a fitting kind.
    let leads: [EventType: [EventIndex.Role]]

    /// - Parameters:
    ///   - ids: `USER`, `WORKOUT`, `COMMENT`, `HANDLE` and so on, or another word for something
    ///     that is not an id in events.
    ///   - choices: the words allowed in place of such a word; any if it is missing here.
    public init(
      _ name: String, _ summary: String = "", of ids: [String], choices: [String: [String]] = [:],
      root: Member? = nil, members: [String: Member] = [:], countsEmptyLists: Bool = false,
      types: EventTypes, visible: EventTypes = [], hiding: EventTypes = [],
      sources: [EventIndex.Role],
      leads: [EventType: [EventIndex.Role]] = [:]
    ) {
      (self.name, self.summary, idNames, self.choices) = (name, summary, ids, choices)
      (self.root, rootIDs, self.members) = (root?.value, root?.ids, members)
      (self.countsEmptyLists, self.types) = (countsEmptyLists, types)
      (self.visible, self.hiding) = (visible, hiding)
      (self.sources, self.leads) = (sources, leads)
    }

    public static func == (a: Kind, b: Kind) -> Bool { a.name == b.name }
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }

  /// A member, named after the point, or the value of the kind itself.
  public struct Member: Equatable, Sendable {
    public var value: Value
    /// The kind of ids that the value or list items are.
    var ids: NamedID.Kind?
    /// The types of events that set it; nil for those whose data has a member of its name.
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
  /// Whether its paths name two users, so that a path with only the first also says whose state it
  /// means.
  var isOfPair: Bool { idNames == ["USER", "USER"] }

  /// The member with these words as its name: an exact one, or one whose `*` matches.
  func member(_ words: some Collection<String>) -> StatePath.Member? {
    members[words.joined(separator: ".")]
      ?? members.first { name, _ in
        let pattern = name.split(separator: ".")
        return name.contains("*") && pattern.count == words.count
          && zip(pattern, words).allSatisfy { $0 == "*" || $0 == $1 }
      }?.value
  }

  /// Whether there is a member whose name is, or begins with, these words.
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

  /// The members without a `*`, which are the ones offered.
  public var plainMembers: [String] { members.keys.filter { !$0.contains("*") }.sorted() }
}
