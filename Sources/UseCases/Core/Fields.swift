import Aggregates
import Events
import Projections

/// The input of a use case, which can be read from a line of text.
public protocol UseCaseInput: Equatable, Sendable {
  /// Reads every field, in documentation order.
  /// - Throws: `InputError` for a field that is missing or invalid.
  init(from fields: inout Fields) throws(InputError)
}

/// A field of an input: for `do --help`, the documentation, and reading `key=value`.
public struct Field: Equatable, Sendable {
  public enum Kind: Equatable, Sendable {
    case text, flag, integer, number, date, dateTime, dateOrTime, image
    case choice([String])
    case list([Field])
  }

  public var name: String
  public var kind: Kind
  public var summary: String
  public var isRequired: Bool
  /// Whether null differs from leaving the field out.
  public var isClearable = false
}

/// Reads the fields of an input by name, or, in order to describe them, records their names.
///
/// ```swift
/// struct Page: UseCaseInput {
///   var user: String?
///   var limit: Int?
///
///   init(from fields: inout Fields) throws(InputError) {
///     user = try fields.optional("user", "Whose; the caller's by default.")
///     limit = try fields.limit()
///   }
/// }
/// ```
public struct Fields {
  /// Loads what an image field refers to.
  public typealias ImageLoader = (String) throws(InputError) -> [UInt8]

  private var members: [JSONValue.Member]
  private var isRead: [Bool]
  private let prefix: String
  private let loadImage: ImageLoader
  /// The fields asked for, when only describing.
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

  /// Reads an input from an object.
  /// - Throws: `InputError` also for a member that is not a field.
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
          : "there is no such field; there are \(names.joined(separator: ", "))")
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

  /// A field that must be there.
  public mutating func required<V: FieldValue>(
    _ name: StaticString, _ summary: StaticString
  ) throws(InputError) -> V {
    if describe(name, summary, V.self, required: true, clearable: false) { return V.placeholder }
    guard let json = take(name), json != .null else {
      throw InputError(prefix + name.description, "missing: \(V.kind) is expected")
    }
    return try value(json, name)
  }

  /// A field that may be omitted or null.
  public mutating func optional<V: FieldValue>(
    _ name: StaticString, _ summary: StaticString
  ) throws(InputError) -> V? {
    if describe(name, summary, V.self, required: false, clearable: false) { return nil }
    guard let json = take(name), json != .null else { return nil }
    return try value(json, name)
  }

  /// A field of a merge patch: omitting it keeps the value, null clears it.
  public mutating func patch<V: FieldValue & Equatable>(
    _ name: StaticString, _ summary: StaticString
  ) throws(InputError) -> Patch<V> {
    if describe(name, summary, V.self, required: false, clearable: true) { return .keep }
    guard let json = take(name) else { return .keep }
    return json == .null ? .clear : .set(try value(json, name))
  }
}

/// Where a field's value is, for messages, and what reading it needs.
public struct FieldPlace {
  let name: String
  let loadImage: Fields.ImageLoader
}

public protocol FieldValue: Sendable {
  static var kind: Field.Kind { get }
  /// An arbitrary value; for describing only.
  static var placeholder: Self { get }
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
  /// The kind of the value, for messages; never its content.
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
  /// Whether a value is written as a text.
  public var isText: Bool {
    switch self {
    case .text, .date, .dateTime, .dateOrTime, .image, .choice: true
    case .flag, .integer, .number, .list: false
    }
  }

  /// In one word, for tables: `text`, `rider|mentor|both`.
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
  /// With its article: “a text”.
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
