import Events

/// Sets where the caller is based.
public struct SetBaseLocation: Command {
  public struct Input: UseCaseInput {
    public var latitude: Double
    public var longitude: Double
    public var name: String?

    public init(latitude: Double, longitude: Double, name: String? = nil) {
      self.latitude = latitude
      self.longitude = longitude
      self.name = name
    }

    public init(from fields: inout Fields) throws(InputError) {
      latitude = try fields.required("latitude", "In degrees, -90 to 90.")
      longitude = try fields.required("longitude", "In degrees, -180 to 180.")
      name = try fields.optional("name", "What the place is called.")
    }
  }

  public static let about = About(
    "SetBaseLocation", .profile, "Say where one is based",
    errors: ["outOfRange", "nameTooLong", "invalidText", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) -> Nothing {
    let actor = try model.actor()
    let location = BaseLocationSet(
      user: actor, latitude: input.latitude, longitude: input.longitude, name: input.name)
    try model.decide(ProfileEvent.baseLocationSet(location), by: actor)
    return Nothing()
  }
}
