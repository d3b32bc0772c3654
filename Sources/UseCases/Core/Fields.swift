import Aggregates
import Events
import Projections

/// A value that is an object in JSON. Its fields are declared once, for reading, writing and
/// describing.
///
/// ```swift
/// struct Place: ObjectValue {
///   var name: String
///   var climbs: Int?
///
///   static var schema: String? { nil }
///   static var placeholder: Place { Place(name: "") }
///   mutating func code(with fields: inout Fields) throws(InputError) {
///     try fields.required("name", "The name of the place.", &name)
///     try fields.nullable("climbs", "The number of climbs there, if it is known.", &climbs)
///   }
/// }
/// ```
public protocol ObjectValue: FieldValue {
  /// The name of the schema in the OpenAPI document, unique among all answers; nil for an input.
  /// The schema name of an app's own answer begins with the app's name and a full stop, such as
  /// `gymapp.Visit`.
  static var schema: String? { get }
  /// Declares every field, in the order of the documentation. Each declaration reads, writes or
  /// describes the field, depending on the mode of `fields`.
  /// - Throws: `InputError` if a field that is read is missing or invalid.
  mutating func code(with fields: inout Fields) throws(InputError)
}

/// The input of a use case.
public protocol UseCaseInput: ObjectValue {}

extension UseCaseInput {
  public static var schema: String? { nil }
}

/// A description of a field, for `do --help`, the documentation and reading `key=value`.
public struct Field: Equatable, Sendable {
  /// The kinds of values that a field can have.
  public indirect enum Kind: Equatable, Sendable {
    case text, flag, integer, number, date, dateTime, dateOrTime, image
    /// One of these words.
    case choice([String])
    /// A list of values of one kind.
    case list(Kind)
    /// An object with these fields. The text is the name of an answer's schema; nil for an input.
    case object(String?, [Field])
    /// A value of this kind, or null.
    case optional(Kind)
    /// Only null.
    case nothing
  }

  /// The field's name in JSON.
  public var name: String
  /// The kind of the field's value.
  public var kind: Kind
  /// A sentence that describes the field.
  public var summary: String
  /// Whether the field must be present. In an input it must also not be null.
  public var isRequired: Bool
  /// Whether null clears the stored value, and an omitted field keeps it.
  public var isClearable = false
}

/// The fields of an object, while they are read, written or described; see `ObjectValue`.
public struct Fields {
  /// A function that returns the bytes of the image that a field's text refers to.
  public typealias ImageLoader = (String) throws(InputError) -> [UInt8]

  private enum Mode { case reading, writing, describing }

  private let mode: Mode
  /// The object that is read, or the fields written so far.
  private var members: [JSONValue.Member] = []
  private var isRead: [Bool] = []
  /// The fields described so far.
  private var described: [Field] = []
  private var place: FieldPlace

  private init(_ mode: Mode) {
    self.mode = mode
    place = .inAnswer
  }

  fileprivate init(_ object: JSONValue, _ place: FieldPlace) throws(InputError) {
    guard case .object(let members) = object else {
      throw InputError(place.name.isEmpty ? "with" : place.name, "an object is expected")
    }
    mode = .reading
    self.members = members
    self.place = place
    isRead = Array(repeating: false, count: members.count)
  }

  /// Returns descriptions of the fields of a type.
  static func of<Value: ObjectValue>(_: Value.Type) -> [Field] {
    var fields = Fields(.describing)
    var value = Value.placeholder
    try? value.code(with: &fields)
    return fields.described
  }

  /// Returns the fields of a value as JSON.
  fileprivate static func written(_ value: some ObjectValue) -> [JSONValue.Member] {
    var fields = Fields(.writing)
    var value = value
    try? value.code(with: &fields)
    return fields.members
  }

  /// Reads an input from an object.
  /// - Throws: `InputError` for an invalid field, and for a member of the object that is not a
  ///   field.
  package static func read<Input: UseCaseInput>(
    _ object: JSONValue, image: @escaping ImageLoader
  ) throws(InputError) -> Input {
    try Input(object, FieldPlace(name: "", isStrict: true, loadImage: image))
  }

  /// Checks that every member of the object was read, if unknown members are errors.
  /// - Throws: `InputError` if a member was not read.
  fileprivate func checkAllRead(_ fields: @autoclosure () -> [Field]) throws(InputError) {
    guard place.isStrict, let extra = isRead.firstIndex(of: false) else { return }
    let known = fields()
    throw InputError(
      place.path(members[extra].name),
      known.isEmpty
        ? "there is no such field; this takes none"
        : "there is no such field; known fields: "
          + known.map { $0.name }.joined(separator: ", "))
  }

  private mutating func take(_ name: String) -> JSONValue? {
    guard let index = members.firstIndex(where: { $0.name == name }) else { return nil }
    isRead[index] = true
    return members[index].value
  }

  private func value<V: FieldValue>(_ json: JSONValue, _ name: String) throws(InputError) -> V {
    var place = place
    place.name = place.path(name)
    return try V(json, place)
  }

  private mutating func describe(
    _ name: String, _ kind: Field.Kind, _ summary: StaticString, isRequired: Bool,
    isClearable: Bool = false
  ) {
    described.append(
      Field(
        name: name, kind: kind, summary: summary.description, isRequired: isRequired,
        isClearable: isClearable))
  }

  /// Declares a field that must be present and not null.
  public mutating func required<V: FieldValue>(
    _ name: String, _ summary: StaticString, _ value: inout V
  ) throws(InputError) {
    switch mode {
    case .describing: describe(name, V.kind, summary, isRequired: true)
    case .writing: members.append(.init(name, value.json))
    case .reading:
      guard let json = take(name), json != .null else {
        throw InputError(place.path(name), "missing: \(V.kind) is expected")
      }
      value = try self.value(json, name)
    }
  }

  /// Declares a field that must be present and a valid id, such as an id of an app's own thing that
  /// becomes a part of a stream's name.
  public mutating func id(
    _ name: String, _ summary: StaticString, _ value: inout String
  ) throws(InputError) {
    try required(name, summary, &value)
    if mode == .reading, !isValidID(value.utf8) { throw InputError(place.path(name), idRule) }
  }

  /// Declares a field that may be omitted or null. Writing omits a field whose value is nil.
  public mutating func optional<V: FieldValue>(
    _ name: String, _ summary: StaticString, _ value: inout V?
  ) throws(InputError) {
    switch mode {
    case .describing: describe(name, V.kind, summary, isRequired: false)
    case .writing: if let value { members.append(.init(name, value.json)) }
    case .reading:
      guard let json = take(name), json != .null else {
        value = nil
        return
      }
      value = try self.value(json, name)
    }
  }

  /// Declares a field of an answer that is always present, and null if there is no value.
  ///
  /// Reading also accepts an omitted field, because an older server may not know the field.
  public mutating func nullable<V: FieldValue>(
    _ name: String, _ summary: StaticString, _ value: inout V?
  ) throws(InputError) {
    switch mode {
    case .describing: describe(name, .optional(V.kind), summary, isRequired: true)
    case .writing: members.append(.init(name, value?.json ?? .null))
    case .reading: try optional(name, summary, &value)
    }
  }

  /// Declares a field of a merge patch: omitting it keeps the value, and null clears the value.
  public mutating func patch<V: FieldValue>(
    _ name: String, _ summary: StaticString, _ value: inout Patch<V>
  ) throws(InputError) {
    switch mode {
    case .describing: describe(name, V.kind, summary, isRequired: false, isClearable: true)
    case .writing:
      switch value {
      case .keep: break
      case .clear: members.append(.init(name, .null))
      case .set(let new): members.append(.init(name, new.json))
      }
    case .reading:
      guard let json = take(name) else {
        value = .keep
        return
      }
      value = json == .null ? .clear : .set(try self.value(json, name))
    }
  }

  /// Declares the fields of an optional object directly among the other fields. If the object is
  /// nil, all its fields are null.
  ///
  /// `mark` names a field that is null or omitted only if the object is nil. Reading uses this
  /// field to recognize nil.
  mutating func flattened<V: ObjectValue>(
    _ value: inout V?, mark: String
  ) throws(InputError) {
    switch mode {
    case .describing:
      for var field in Fields.of(V.self) {
        if case .optional = field.kind {} else { field.kind = .optional(field.kind) }
        described.append(field)
      }
    case .writing:
      for var member in Fields.written(value ?? .placeholder) {
        if value == nil { member.value = .null }
        members.append(member)
      }
    case .reading:
      guard let json = take(mark), json != .null else {
        value = nil
        return
      }
      var read = V.placeholder
      try read.code(with: &self)
      value = read
    }
  }
}

extension ObjectValue {
  public static var kind: Field.Kind { .object(schema, Fields.of(Self.self)) }
  public var json: JSONValue { .object(Fields.written(self)) }
  public init(_ json: JSONValue, _ place: FieldPlace) throws(InputError) {
    var fields = try Fields(json, place)
    self = .placeholder
    try code(with: &fields)
    try fields.checkAllRead(Fields.of(Self.self))
  }
}

/// The place of a value that is read, and how to read it.
public struct FieldPlace {
  /// The field's name for error messages, with the names of the objects around the field.
  var name: String
  /// Whether a member that is not a field is an error: true in inputs, false in answers.
  let isStrict: Bool
  let loadImage: Fields.ImageLoader

  /// The place of a value in an answer. Members that are not fields are ignored, and no image is
  /// loaded.
  package static var inAnswer: FieldPlace { FieldPlace(name: "", isStrict: false) { _ in [] } }

  fileprivate func path(_ member: String) -> String { name.isEmpty ? member : "\(name).\(member)" }
}

/// A type of values that a field can have, and that a use case can return.
public protocol FieldValue: Equatable, Sendable {
  /// The kind of the values, for descriptions and messages.
  static var kind: Field.Kind { get }
  /// An arbitrary value, to read fields into and to describe them.
  static var placeholder: Self { get }
  /// Reads a value from JSON.
  /// - Throws: `InputError` for JSON of another kind.
  init(_ json: JSONValue, _ place: FieldPlace) throws(InputError)
  /// The value as JSON.
  var json: JSONValue { get }
}

extension FieldValue {
  /// Creates a value from the JSON of an answer. Ignores fields that this version does not know.
  /// - Throws: `InputError` for JSON of another kind.
  public init(json: JSONValue) throws(InputError) {
    try self.init(json, FieldPlace(name: "", isStrict: false, loadImage: Fields.dataURI))
  }
}

extension FieldPlace {
  func expected(_ kind: Field.Kind, _ found: JSONValue) -> InputError {
    InputError(name, "\(kind) is expected, not \(found.kindName)")
  }

  func text(_ json: JSONValue, _ kind: Field.Kind = .text) throws(InputError) -> String {
    guard case .string(let text) = json else { throw expected(kind, json) }
    return text
  }
}

extension JSONValue {
  /// The kind of the value, for error messages; for a short number, the number itself.
  var kindName: String {
    switch self {
    case .null: "null"
    case .bool: "true or false"
    case .number(let text): text.utf8.count <= 30 ? text : "a number"
    case .string: "this text"
    case .array: "a list"
    case .object: "an object"
    }
  }
}

extension Field.Kind {
  /// Whether values of this kind are strings in JSON.
  public var isText: Bool {
    switch self {
    case .text, .date, .dateTime, .dateOrTime, .image, .choice: true
    case .flag, .integer, .number, .list, .object, .nothing: false
    case .optional(let kind): kind.isText
    }
  }

  /// A short name of the kind for tables, such as `text` or `rider|mentor|both`.
  public var word: String {
    switch self {
    case .text: "text"
    case .flag: "true|false"
    case .integer: "integer"
    case .number: "number"
    case .date: "YYYY-MM-DD"
    case .dateTime: "RFC 3339"
    case .dateOrTime: "YYYY-MM-DD or RFC 3339"
    case .image: "image"
    case .choice(let names): names.joined(separator: "|")
    case .list(let kind): "list of \(kind.word)"
    case .object(let schema, _): schema ?? "object"
    case .optional(let kind): kind.word + "|null"
    case .nothing: "null"
    }
  }
}

extension Field.Kind: CustomStringConvertible {
  /// A phrase for error messages, such as “a text”.
  public var description: String {
    switch self {
    case .text: "a text"
    case .flag: "true or false"
    case .integer: "an integer"
    case .number: "a number"
    case .date: "a date such as 2026-01-31"
    case .dateTime: "a date and time such as 2026-01-31T12:00:00Z"
    case .dateOrTime: "a date, or a date and time"
    case .image: "an image"
    case .choice(let names): "one of " + names.joined(separator: ", ")
    case .list(.object): "a list of objects"
    case .list: "a list"
    case .object: "an object"
    case .optional(let kind): "\(kind), or null"
    case .nothing: "null"
    }
  }
}
