/// The data of `PremiumRecorded`: what a service says of a user's subscription.
public struct PremiumRecorded: EventData {
  public var user: UserID
  /// What was bought, by the store's name for it.
  public var product: String
  public var expires: DateTime
  /// The store's id of the purchase.
  public var transaction: String?

  public init(user: UserID, product: String, expires: DateTime, transaction: String? = nil) {
    self.user = user
    self.product = product
    self.expires = expires
    self.transaction = transaction
  }

  init() { self.init(user: .blank, product: "", expires: .blank) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("user", &user)
    try members("product", &product)
    try members("expires", &expires)
    try members("transaction", &transaction)
  }

  public var stream: StreamID { .profile(user) }

  var words: Words? { Words(of: AnyID(user), by: .user(user)) }

  mutating func mapContent(_ map: inout some ContentMap) {
    transaction = map.text(transaction, "transaction")
  }
}
