import Events

/// Records what a store says of a user's subscription; only a service may.
public struct RecordPremium: Command {
  public struct Input: UseCaseInput {
    public var user: String
    public var product: String
    public var expires: DateTime
    public var transaction: String?

    public init(user: String, product: String, expires: DateTime, transaction: String? = nil) {
      self.user = user
      self.product = product
      self.expires = expires
      self.transaction = transaction
    }

    public init(from fields: inout Fields) throws(InputError) {
      user = try fields.required("user", "Who subscribes.")
      product = try fields.required("product", "What was bought, by the store's name for it.")
      expires = try fields.required("expires", "Until when it is paid.")
      transaction = try fields.optional("transaction", "The store's id of the purchase.")
    }
  }

  public static let about = About(
    "RecordPremium", .profile, "As a service, record until when a user's subscription is paid",
    errors: ["invalidText", "notAuthorized", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) -> Nothing {
    let actor = try model.actorOrService()
    let record = PremiumRecorded(
      user: try model.user(input.user), product: input.product, expires: input.expires,
      transaction: input.transaction)
    try model.decide(ProfileEvent.premiumRecorded(record), by: actor)
    return Nothing()
  }
}
