import Events

/// Records that the photo was deleted.
struct RemoveProfilePhoto: Command {
  static let about = About("RemoveProfilePhoto", .profile, "Remove the photo whose file is gone")
  let core: Core
  init(_ core: Core) { self.core = core }

  func decide(_ input: NoInput, in model: inout Model) throws(UseCaseError) -> Nothing {
    let actor = try model.actor()
    try model.decide(ProfileEvent.photoRemoved(UserReference(user: actor)), by: actor)
    return Nothing()
  }
}
