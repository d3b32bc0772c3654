/// The data of `PremiumRecorded`: a user's paid subscription, as a service recorded it.
public struct PremiumRecorded: EventData {
  /// The user who has the subscription.
  public var user: UserID
  /// The subscribed product's identifier in the app store.
  public var product: String
  /// The time at which the subscription ends.
  public var expires: DateTime
  /// The app store's id of the purchase; nil if unknown.
  public var transaction: String?

  /// Creates the data of a `PremiumRecorded` event.
  public init(user: UserID, product: String, expires: DateTime, transaction: String? = nil) {
    (self.user, self.product, self.expires) = (user, product, expires)
    self.transaction = transaction
  }

  init() { self.init(user: .blank, product: "", expires: .blank) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("user", &user)
    try members.text("product", &product, .plain)
    try members("expires", &expires)
    try members.text("transaction", &transaction, .words)
  }

  public var stream: StreamID { .profile(user) }

  var words: Words? { Words(of: AnyID(user), by: .user(user)) }
}
