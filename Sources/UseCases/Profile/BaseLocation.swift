import Events

/// Where a user is based.
///
/// Only the user, their friends and services see the coordinates, in degrees. They are nil for
/// others, who see the name of the place.
public struct BaseLocation: Answer {
  public var latitude: Double?
  public var longitude: Double?
  public var name: String?

  public init(latitude: Double?, longitude: Double?, name: String? = nil) {
    (self.latitude, self.longitude, self.name) = (latitude, longitude, name)
  }

  init(_ location: BaseLocationSet) {
    self.init(latitude: location.latitude, longitude: location.longitude, name: location.name)
  }

  public var json: JSONValue {
    .object([
      "latitude": latitude.map { .double($0) } ?? .null,
      "longitude": longitude.map { .double($0) } ?? .null, "name": .optional(name),
    ])
  }
}
