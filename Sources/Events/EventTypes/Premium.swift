/// The data of `PremiumRecorded`: a user's subscription, as a service recorded it.
public struct PremiumRecorded: EventData {
  /// The subscriber.
  public var user: UserID
  /// The product's identifier in the store.
  public var product: String
  /// The end of the subscription.
  public var expires: DateTime
  /// The store's id of the purchase.
  public var transaction: String?

  /// Creates the data.
  public init(user: UserID, product: String, expires: DateTime, transaction: String? = nil) {
    (self.user, self.product, self.expires) = (user, product, expires)
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
