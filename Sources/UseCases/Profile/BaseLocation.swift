import Events

/// A user's base location.
///
/// Only the user, friends of the user and services see the coordinates. Others see only the name of
/// the place; for them the coordinates are nil.
public struct BaseLocation: Answer {
  /// The latitude in degrees: -90 to 90.
  public var latitude: Double?
  /// The longitude in degrees: -180 to 180.
  public var longitude: Double?
  /// The name of the place.
  public var name: String?

  /// Creates a location.
  public init(latitude: Double?, longitude: Double?, name: String? = nil) {
    (self.latitude, self.longitude, self.name) = (latitude, longitude, name)
  }

  init(_ location: BaseLocationSet) {
    self.init(latitude: location.latitude, longitude: location.longitude, name: location.name)
  }

  public static var schema: String? { "BaseLocation" }
  public static var placeholder: BaseLocation { BaseLocation(latitude: nil, longitude: nil) }
  public mutating func code(with fields: inout Fields) throws(InputError) {
    try fields.nullable("latitude", "The latitude in degrees: -90 to 90.", &latitude)
    try fields.nullable("longitude", "The longitude in degrees: -180 to 180.", &longitude)
    try fields.nullable("name", "The name of the place.", &name)
  }
}
