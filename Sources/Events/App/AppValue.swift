/// A type of value that a field of an app's own event can have.
///
/// An enumeration with raw values of type `String` only has to declare the conformance:
/// ```swift
/// enum Grade: String, AppValue { case easy, hard }
/// ```
public protocol AppValue: Equatable, Sendable {
  /// The phrase for a value of this type in error messages, such as `a text`.
  static var expected: StaticText { get }
  /// Reads a value from JSON; returns nil if the JSON has another form. `members` maps the texts of
  /// ids to dense numbers.
  init?(_ json: JSONValue, _ members: inout AppMembers)
  /// Returns the value as JSON.
  func json(_ names: Names) -> JSONValue
}

extension AppValue where Self: RawRepresentable, RawValue: AppValue {
  public static var expected: StaticText { "one of the texts that are allowed here" }
  public init?(_ json: JSONValue, _ members: inout AppMembers) {
    guard let raw = RawValue(json, &members) else { return nil }
    self.init(rawValue: raw)
  }
  public func json(_ names: Names) -> JSONValue { rawValue.json(names) }
}

extension String: AppValue {
  public static var expected: StaticText { "a text" }
  public init?(_ json: JSONValue, _ members: inout AppMembers) {
    guard case .string(let text) = json else { return nil }
    self = text
  }
  public func json(_ names: Names) -> JSONValue { .string(self) }
}

extension Bool: AppValue {
  public static var expected: StaticText { "true or false" }
  public init?(_ json: JSONValue, _ members: inout AppMembers) {
    guard case .bool(let value) = json else { return nil }
    self = value
  }
  public func json(_ names: Names) -> JSONValue { .bool(self) }
}

extension Int: AppValue {
  public static var expected: StaticText { "an integer without point or exponent" }
  public init?(_ json: JSONValue, _ members: inout AppMembers) {
    guard case .number(let text) = json, let value = Int(text) else { return nil }
    self = value
  }
  public func json(_ names: Names) -> JSONValue { .int(self) }
}

extension Double: AppValue {
  public static var expected: StaticText { "a number" }
  public init?(_ json: JSONValue, _ members: inout AppMembers) {
    guard case .number(let text) = json, let value = Double(text), value.isFinite else {
      return nil
    }
    self = value
  }
  /// Returns the value as a JSON number, or null if JSON cannot express it, such as infinity.
  public func json(_ names: Names) -> JSONValue { isFinite ? .double(self) : .null }
}

extension DateTime: AppValue {
  public static var expected: StaticText { "a date and time such as 2026-01-19T09:00:00Z" }
  public init?(_ json: JSONValue, _ members: inout AppMembers) {
    guard case .string(let text) = json, let value = DateTime(text) else { return nil }
    self = value
  }
  public func json(_ names: Names) -> JSONValue { .string(text) }
}

extension CalendarDate: AppValue {
  public static var expected: StaticText { "a date such as 2026-01-19" }
  public init?(_ json: JSONValue, _ members: inout AppMembers) {
    guard case .string(let text) = json, let value = CalendarDate(text) else { return nil }
    self = value
  }
  public func json(_ names: Names) -> JSONValue { .string(description) }
}

extension JSONValue: AppValue {
  public static var expected: StaticText { "a value" }
  public init?(_ json: JSONValue, _ members: inout AppMembers) { self = json }
  public func json(_ names: Names) -> JSONValue { self }
}

extension Array: AppValue where Element: AppValue {
  public static var expected: StaticText { "an array of what is expected here" }
  public init?(_ json: JSONValue, _ members: inout AppMembers) {
    guard case .array(let values) = json else { return nil }
    self = []
    for value in values {
      guard let element = Element(value, &members) else { return nil }
      append(element)
    }
  }
  public func json(_ names: Names) -> JSONValue { .array(map { $0.json(names) }) }
}

// Values that are ids, such as `UserID`. Error messages name the kind of id.
extension AppValue where Self: DenseID {
  public static var expected: StaticText { kind.expected }
  public init?(_ json: JSONValue, _ members: inout AppMembers) {
    guard case .string(let name) = json, let id = members.id(name, Self.self) else { return nil }
    self = id
  }
  public func json(_ names: Names) -> JSONValue { .string(names[self]) }
}

extension UserID: AppValue {}
extension WorkoutID: AppValue {}
extension CommentID: AppValue {}
extension GroupID: AppValue {}
extension MessageID: AppValue {}
extension ReportID: AppValue {}

extension IDKind {
  fileprivate var expected: StaticText {
    switch self {
    case .user: "the id of a user"
    case .workout: "the id of a workout"
    case .comment: "the id of a comment"
    case .group: "the id of a group"
    case .message: "the id of a message"
    case .report: "the id of a report"
    }
  }
}
