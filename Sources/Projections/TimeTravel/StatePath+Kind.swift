import Events

extension StatePath {
  /// The type of a value in the state.
  public enum Value: Equatable, Sendable { case number, text, truth, list }

  /// A kind of paths: their first word, their ids and members, and the events that can affect them.
  ///
  /// ```swift
  /// StatePath.Kind.comments.idNames  // ["WORKOUT"]
  /// ```
  /// A projection declares its kinds (`ExplainedProjection.kinds`). Kinds with the same name are
  /// equal.
  public struct Kind: Equatable, Hashable, Sendable {
    /// The first word of the paths.
    public let name: String
    /// The content of the paths, for people: a part of a sentence, or empty.
    public let summary: String
    /// The kinds of the ids between the slashes, such as `USER`.
    public let idNames: [String]
    /// The words allowed in place of an id; a missing kind of id allows any word.
    let choices: [String: [String]]
    /// The type of the path without a member; nil if only its members have values.
    public let root: Value?
    /// The members, without the `count` of a list. `*` stands for any word.
    public let members: [String: Member]
    /// The kind of ids that the values or list items are.
    let rootIDs: NamedID.Kind?
    /// Whether an empty list has a count, although it has no fact.
    let countsEmptyLists: Bool
    /// The types of events that can affect the state.
    let types: EventTypes
    /// The types of events that have no effect at all if they change nothing visible.
    let visible: EventTypes
    /// The types of events that hide or show the effects of other events between the same users.
    let hiding: EventTypes
    /// The index's lists that contain a path's own events, by the path's ids.
    let sources: [EventIndex.Role]
    /// The further lists that an event leads to, by its first id of the list's kind.
    let leads: [EventType: [EventIndex.Role]]

    /// Creates a kind of paths.
    ///
    /// `ids` are `USER`, `WORKOUT`, `COMMENT`, `HANDLE` and so on, or another word for a part that
    /// is not an id in events. `choices` are the values that such a part can have; a part that is
    /// missing there can have any.
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

  /// A member, which a path names after a point, or the value of the path without a member.
  public struct Member: Equatable, Sendable {
    /// The type of its value.
    public var value: Value
    /// The kind of ids that the value or the list items are.
    var ids: NamedID.Kind?
    /// The types of events that set it; nil for the events whose data has a member of this name.
    var setBy: EventTypes?

    /// A number.
    public static let number = Member(value: .number)
    /// A text.
    public static let text = Member(value: .text)
    /// True or false.
    public static let truth = Member(value: .truth)
    /// A list of texts that are not ids.
    public static let list = Member(value: .list)
    /// Returns a member whose value is an id.
    public static func id(of kind: NamedID.Kind) -> Member { Member(value: .text, ids: kind) }
    /// Returns a member whose value is a list of ids.
    public static func list(of kind: NamedID.Kind) -> Member { Member(value: .list, ids: kind) }

    /// Returns this member, set only by events of these types.
    public func set(by types: EventTypes) -> Member {
      var copy = self
      copy.setBy = types
      return copy
    }
  }
}

extension StatePath.Kind {
  /// Whether its paths name two users; then the first user alone also identifies the state's owner.
  var isOfPair: Bool { idNames == ["USER", "USER"] }

  /// Returns the member with these words as its name: an exact one, or one whose `*` matches.
  func member(_ words: some Collection<String>) -> StatePath.Member? {
    members[words.joined(separator: ".")]
      ?? members.first { name, _ in
        let pattern = name.split(separator: ".")
        return name.contains("*") && pattern.count == words.count
          && zip(pattern, words).allSatisfy { $0 == "*" || $0 == $1 }
      }?.value
  }

  /// Returns whether the name of a member is, or begins with, these words.
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

  /// The members without a `*`, sorted; completions and error messages offer these.
  public var plainMembers: [String] { members.keys.filter { !$0.contains("*") }.sorted() }
}
