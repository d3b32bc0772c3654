import Events

extension Profiles.Account: Storable {
  static var blank: Self { .unknown }

  mutating func code(with coder: inout StateCoder) {
    var kind: UInt8 = 0
    var profile = Profiles.Profile.blank
    switch self {
    case .unknown: break
    case .deleted: kind = 1
    case .open(let present): (kind, profile) = (2, present)
    }
    coder(&kind)
    guard kind == 2 else {
      self = kind == 1 ? .deleted : .unknown
      return
    }
    coder(&profile)
    self = .open(profile)
  }
}

extension Profiles.Profile: Storable {
  public static var blank: Self {
    Self(handle: "", isPublic: false, createdAt: .earliest, updatedAt: .earliest)
  }

  public mutating func code(with coder: inout StateCoder) {
    codeMembers(with: &coder)
    coder(&photo)
    coder(&location)
    coder(&sports)
    coder(&sendCount)
    coder(&createdAt)
    coder(&updatedAt)
  }
}
