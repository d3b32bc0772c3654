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

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    user = try r.required("user")
    product = try r.required("product")
    expires = try r.required("expires")
    transaction = try r.optional("transaction")
  }

  func write<W: MemberWriter>(to w: inout W) {
    w.member("user", user)
    w.member("product", product)
    w.member("expires", expires)
    w.optional("transaction", transaction)
  }

  public var stream: StreamID { .profile(user) }

  mutating func mapIDs(_ map: some IDMap) {
    user = map(user)
  }

  var words: Words? { Words(of: AnyID(user), by: .user(user)) }

  mutating func mapContent(_ map: inout some ContentMap) {
    transaction = map.text(transaction, "transaction")
  }
}
