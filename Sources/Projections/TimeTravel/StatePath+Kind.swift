import Events

extension StatePath {
  /// The type of a value in the state.
  public enum Value: Equatable, Sendable { case number, text, truth, list }

  /// A kind of paths: their first word, ids and fields, and the events that can affect them.
  ///
  /// ```swift
  /// StatePath.Kind.comments.idNames  // ["WORKOUT"]
  /// ```
  /// A projection declares its kinds (`ExplainedProjection.kinds`). Kinds with the same name are
  /// equal.
  public struct Kind: Equatable, Hashable, Sendable {
    /// The first word of the paths.
    public let name: String
    /// A description of the value at a path, for people: a part of a sentence, or empty.
    public let summary: String
    /// The kinds of the ids between a path's slashes, such as `USER`.
    public let idNames: [String]
    /// The words allowed in place of an id, by kind of id. A missing kind allows any word.
    let choices: [String: [String]]
    /// The type of the value at a path that names no field; nil if only fields have values.
    public let root: Value?
    /// The fields by name, without the `count` of a list. In a name, `*` stands for any word.
    public let members: [String: Member]
    /// The kind of the ids that are the values or list items; nil if these are not ids.
    let rootIDs: NamedID.Kind?
    /// Whether `count` is 0 for an empty list, although an empty list has no fact.
    let countsEmptyLists: Bool
    /// The types of events that can affect the values at the paths.
    let types: EventTypes
    /// The types of events that never have an effect if they change no value when they happen.
    let visible: EventTypes
    /// The types of events that hide or show the effects of other events between the same users.
    let hiding: EventTypes
    /// The roles of the index's lists that hold a path's own events. The ids of these lists are the
    /// path's ids.
    let sources: [EventIndex.Role]
    /// By event type: the roles of the further lists that the search reads after a relevant event
    /// of this type. For each role, it reads the list of the event's first id that can have the
    /// role.
    let leads: [EventType: [EventIndex.Role]]

    /// Creates a kind of paths.
    ///
    /// `ids` are `USER`, `WORKOUT`, `COMMENT`, `HANDLE` and so on, or another word for a part that
    /// is not an id in events. `choices` has the values that such a part can have. A part without
    /// an entry in `choices` can have any value.
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

  /// A field, which a path names after a point; or the value at a path that names no field.
  public struct Member: Equatable, Sendable {
    /// The type of the field's value.
    public var value: Value
    /// The kind of the ids that are the value or the list items; nil if these are not ids.
    var ids: NamedID.Kind?
    /// The types of events that set the field. Nil means all types of events whose data has a field
    /// of this name.
    var setBy: EventTypes?

    /// A field whose value is a number.
    public static let number = Member(value: .number)
    /// A field whose value is a text.
    public static let text = Member(value: .text)
    /// A field whose value is true or false.
    public static let truth = Member(value: .truth)
    /// A field whose value is a list of texts that are not ids.
    public static let list = Member(value: .list)
    /// Returns a field whose value is an id.
    public static func id(of kind: NamedID.Kind) -> Member { Member(value: .text, ids: kind) }
    /// Returns a field whose value is a list of ids.
    public static func list(of kind: NamedID.Kind) -> Member { Member(value: .list, ids: kind) }

    /// Returns this field, set only by events of these types.
    public func set(by types: EventTypes) -> Member {
      var copy = self
      copy.setBy = types
      return copy
    }
  }
}

extension StatePath.Kind {
  /// Whether the paths name two users. A path that names only one user means all paths with this
  /// user as the first one.
  var isOfPair: Bool { idNames == ["USER", "USER"] }

  /// Returns the field whose name consists of these words, or matches them with a `*`.
  func member(_ words: some Collection<String>) -> StatePath.Member? {
    members[words.joined(separator: ".")]
      ?? members.first { name, _ in
        let pattern = name.split(separator: ".")
        return name.contains("*") && pattern.count == words.count
          && zip(pattern, words).allSatisfy { $0 == "*" || $0 == $1 }
      }?.value
  }

  /// Returns whether some field's name is, or begins with, these words.
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

  /// The names of the fields without a `*`, sorted. Completions and error messages offer these.
  public var plainMembers: [String] { members.keys.filter { !$0.contains("*") }.sorted() }
}
