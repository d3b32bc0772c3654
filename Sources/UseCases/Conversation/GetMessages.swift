import Events
import Projections

/// The messages between the caller and a user.
public struct GetMessages: Query {
  /// The input of `GetMessages`.
  public struct Input: UseCaseInput {
    /// The other user's id.
    public var with: String
    /// The maximum number of messages: 1 to 100, by default 50.
    public var limit: Int?
    /// The position of a message, to return only messages before it; nil for the newest messages.
    public var before: Int?

    /// Creates the input.
    public init(with: String, limit: Int? = nil, before: Int? = nil) {
      (self.with, self.limit, self.before) = (with, limit, before)
    }

    public static var placeholder: Input { Input(with: .placeholder) }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.required("with", "The other user's id.", &with)
      try fields.optional(
        "limit",
        "The maximum number of messages: 1 to 100, by default 50. Less counts as 1, more as 100.",
        &limit)
      try fields.optional("before", "Only messages before this position.", &before)
    }
  }

  public static let about = About(
    "GetMessages", .messages, "Show the messages between the caller and a user",
    result: "message, position, sender, text and time, the newest first",
    errors: ["unauthorized", "profileNotFound"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public static func answer(
    _ input: Input, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> [MessageRow] {
    let viewer = try model.signedIn(caller)
    guard let other = model.views.find(user: input.with, in: model.names),
      !model.views.isBlocked(viewer, other)
    else { return [] }
    let before = input.before.map { Int64($0) } ?? .max
    let messages = model.views.messages(viewer, other).lazy.reversed().compactMap {
      MessageRow($0, in: model)
    }
    let limit = min(max(input.limit ?? 50, 1), 100)
    return Array(messages.drop { $0.position >= before }.prefix(limit))
  }
}
