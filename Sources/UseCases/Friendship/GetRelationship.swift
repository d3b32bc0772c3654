import Aggregates
import Events
import Projections

/// The relationship between the caller and another user.
public struct GetRelationship: Query {
  /// The input of `GetRelationship`.
  public struct Input: UseCaseInput {
    /// The other user's id.
    public var other: String

    /// Creates the input.
    public init(other: String) { self.other = other }

    public static var placeholder: Input { Input(other: .placeholder) }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.required("other", "The other user's id.", &other)
    }
  }

  public static let about = About(
    "GetRelationship", .friends, "Show the relationship between the caller and another user",
    result: "`self`, `none`, `requestSent`, `requestReceived` or `friends`",
    errors: ["unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public static func answer(
    _ input: Input, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> Choice<Relationships.Relationship> {
    guard let user = try model.subject(nil, caller), let other = model.existing(input.other) else {
      return .known(.none)
    }
    let isSeen =
      model.visibility(of: other, .user(user)) != .hidden || model.isAskedBy(other, user)
    return .known(isSeen ? model.views.relationship(of: user, to: other) : .none)
  }
}

extension Relationships.Relationship: ChoiceField {}
