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

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    user = try r.required("user")
    latitude = try r.required("latitude")
    longitude = try r.required("longitude")
    name = try r.optional("name")
  }

  func write<W: MemberWriter>(to w: inout W) {
    w.member("user", user)
    w.member("latitude", latitude)
    w.member("longitude", longitude)
    w.optional("name", name)
  }

  public var stream: StreamID { .profile(user) }

  mutating func mapIDs(_ map: some IDMap) {
    user = map(user)
  }

  var words: Words? { Words(of: AnyID(user), by: .user(user)) }

  mutating func mapContent(_ map: inout some ContentMap) {
    (latitude, longitude) = map.place(latitude, longitude)
    name = map.text(name, "name")
  }
}
