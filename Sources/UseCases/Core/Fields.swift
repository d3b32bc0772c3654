import Aggregates
import Events
import Projections

/// The input of a use case, which is read from the fields of a JSON object.
public protocol UseCaseInput: Equatable, Sendable {
  /// Reads every field of the input, in the order of the documentation.
  /// - Throws: `InputError` for a field that is missing or invalid.
  init(from fields: inout Fields) throws(InputError)
}

/// A description of an input's field, used for `do --help`, the documentation, and reading
/// `key=value` arguments.
public struct Field: Equatable, Sendable {
  /// The kinds of values that a field can have.
  public enum Kind: Equatable, Sendable {
    case text, flag, integer, number, date, dateTime, dateOrTime, image
    /// One of these words.
    case choice([String])
    /// A list of objects with these fields.
    case list([Field])
  }

  /// The field's name in JSON.
  public var name: String
  /// The kind of the field's value.
  public var kind: Kind
  /// A sentence that describes the field.
  public var summary: String
  /// Whether the field must be present and not null.
  public var isRequired: Bool
  /// Whether null clears the stored value, and an omitted field keeps it.
  public var isClearable = false
}

/// A reader of an input's fields by name. It can also list an input's fields without reading
/// values.
///
/// ```swift
/// struct Page: UseCaseInput {
///   var user: String?
///   var limit: Int?
///
///   init(from fields: inout Fields) throws(InputError) {
///     user = try fields.optional("user", "The user's id; by default the caller's.")
///     limit = try fields.limit()
///   }
/// }
/// ```
public struct Fields {
  /// A function that returns the bytes of the image that a field's text refers to.
  public typealias ImageLoader = (String) throws(InputError) -> [UInt8]

  private var members: [JSONValue.Member]
  private var isRead: [Bool]
  private let prefix: String
  private let loadImage: ImageLoader
  /// The fields listed so far; nil if the reader reads values.
  private var described: [Field]?

  init(_ object: JSONValue, prefix: String = "", image: @escaping ImageLoader) throws(InputError) {
    guard case .object(let members) = object else {
      throw InputError(prefix.isEmpty ? "with" : prefix, "an object is expected")
    }
    self.members = members
    self.prefix = prefix.isEmpty ? "" : prefix + "."
    isRead = Array(repeating: false, count: members.count)
    loadImage = image
  }

  private init() {
    members = []
    isRead = []
    prefix = ""
    loadImage = { _ in [] }
    described = []
  }

  static func of<I: UseCaseInput>(_ input: I.Type) -> [Field] {
    var fields = Fields()
    _ = try? I(from: &fields)
    return fields.described ?? []
  }

  /// Reads an input from a JSON object.
  /// - Throws: `InputError` for an invalid field, and for a field that the input does not have.
  package static func read<I: UseCaseInput>(
    _ object: JSONValue, prefix: String = "", image: @escaping ImageLoader
  ) throws(InputError) -> I {
    var fields = try Fields(object, prefix: prefix, image: image)
    let input = try I(from: &fields)
    if let extra = fields.isRead.firstIndex(of: false) {
      let names = Fields.of(I.self).map { $0.name }
      throw InputError(
        fields.prefix + fields.members[extra].name,
        names.isEmpty
          ? "there is no such field; this takes none"
          : "there is no such field; known fields: \(names.joined(separator: ", "))")
    }
    return input
  }

  private mutating func take(_ name: StaticString) -> JSONValue? {
    guard let index = members.firstIndex(where: { $0.name == name.description }) else { return nil }
    isRead[index] = true
    return members[index].value
  }

  private mutating func describe<V: FieldValue>(
    _ name: StaticString, _ summary: StaticString, _: V.Type, required: Bool, clearable: Bool
  ) -> Bool {
    described?.append(
      Field(
        name: name.description, kind: V.kind, summary: summary.description, isRequired: required,
        isClearable: clearable))
    return described != nil
  }

  private func value<V: FieldValue>(_ json: JSONValue, _ name: StaticString) throws(InputError) -> V
  {
    try V(json, FieldPlace(name: prefix + name.description, loadImage: loadImage))
  }

  /// Reads a field that must be present and not null.
  public mutating func required<V: FieldValue>(
    _ name: StaticString, _ summary: StaticString
  ) throws(InputError) -> V {
    if describe(name, summary, V.self, required: true, clearable: false) { return V.placeholder }
    guard let json = take(name), json != .null else {
      throw InputError(prefix + name.description, "missing: \(V.kind) is expected")
    }
    return try value(json, name)
  }

  /// Reads a field that may be omitted or null.
  public mutating func optional<V: FieldValue>(
    _ name: StaticString, _ summary: StaticString
  ) throws(InputError) -> V? {
    if describe(name, summary, V.self, required: false, clearable: false) { return nil }
    guard let json = take(name), json != .null else { return nil }
    return try value(json, name)
  }

  /// Reads a field of a merge patch: an omitted field keeps the stored value, and null clears it.
  public mutating func patch<V: FieldValue & Equatable>(
    _ name: StaticString, _ summary: StaticString
  ) throws(InputError) -> Patch<V> {
    if describe(name, summary, V.self, required: false, clearable: true) { return .keep }
    guard let json = take(name) else { return .keep }
    return json == .null ? .clear : .set(try value(json, name))
  }
}

/// The name of a field, for error messages, and the function that loads its image.
public struct FieldPlace {
  let name: String
  let loadImage: Fields.ImageLoader
}

/// A type of values that a field can have.
public protocol FieldValue: Sendable {
  /// The kind of the values, for descriptions and error messages.
  static var kind: Field.Kind { get }
  /// An arbitrary value, used only to describe an input.
  static var placeholder: Self { get }
  /// Reads a value from JSON.
  /// - Throws: `InputError` for JSON of another kind.
  init(_ json: JSONValue, _ place: FieldPlace) throws(InputError)
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
    case .flag, .integer, .number, .list: false
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
    case .list: "list"
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
    case .list: "a list of objects"
    }
  }
}
