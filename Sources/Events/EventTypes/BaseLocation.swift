/// The data of `BaseLocationSet`: degrees, latitude −90…90 and longitude −180…180 by the rules.
public struct BaseLocationSet: EventData {
  public var user: UserID
  public var latitude: Double
  public var longitude: Double
  public var name: String?

  public init(user: UserID, latitude: Double, longitude: Double, name: String? = nil) {
    self.user = user
    self.latitude = latitude
    self.longitude = longitude
    self.name = name
  }

  init() { self.init(user: .blank, latitude: 0, longitude: 0) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("user", &user)
    try members("latitude", &latitude)
    try members("longitude", &longitude)
    try members("name", &name)
  }

  public var stream: StreamID { .profile(user) }

  var words: Words? { Words(of: AnyID(user), by: .user(user)) }

  mutating func mapContent(_ map: inout some ContentMap) {
    (latitude, longitude) = map.place(latitude, longitude)
    name = map.text(name, "name")
  }
}
