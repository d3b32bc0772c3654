import Events

/// Where a user is based, in degrees.
public struct BaseLocation: Answer {
  public var latitude: Double
  public var longitude: Double
  public var name: String?

  public init(latitude: Double, longitude: Double, name: String? = nil) {
    self.latitude = latitude
    self.longitude = longitude
    self.name = name
  }

  init(_ location: BaseLocationSet) {
    self.init(latitude: location.latitude, longitude: location.longitude, name: location.name)
  }

  public var json: JSONValue {
    .object([
      "latitude": .double(latitude), "longitude": .double(longitude), "name": .optional(name),
    ])
  }
}
