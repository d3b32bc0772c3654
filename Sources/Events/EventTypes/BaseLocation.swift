/// The data of `BaseLocationSet`: the place where a user is based.
public struct BaseLocationSet: EventData {
  /// The user who set the place.
  public var user: UserID
  /// The latitude of the place in degrees; the `Rules` allow −90…90.
  public var latitude: Double
  /// The longitude of the place in degrees; the `Rules` allow −180…180.
  public var longitude: Double
  /// The place's name, as the user wrote it.
  public var name: String?

  /// Creates the data of a `BaseLocationSet` event.
  public init(user: UserID, latitude: Double, longitude: Double, name: String? = nil) {
    (self.user, self.latitude, self.longitude, self.name) = (user, latitude, longitude, name)
  }

  init() { self.init(user: .blank, latitude: 0, longitude: 0) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("user", &user)
    try members.place(&latitude, &longitude)
    try members.text("name", &name, .words)
  }

  public var stream: StreamID { .profile(user) }

  var words: Words? { Words(of: AnyID(user), by: .user(user)) }
}
