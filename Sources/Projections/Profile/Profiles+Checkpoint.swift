import Events

extension Profiles.Account: Storable {
  static var blank: Self { .unknown }

  mutating func visit(_ state: inout StateCoder) {
    var kind: UInt8 = 0
    var profile = Profiles.Profile.blank
    switch self {
    case .unknown: break
    case .deleted: kind = 1
    case .open(let present): (kind, profile) = (2, present)
    }
    state(&kind)
    guard kind == 2 else {
      self = kind == 1 ? .deleted : .unknown
      return
    }
    state(&profile)
    self = .open(profile)
  }
}

extension Profiles.Profile: Storable {
  public static var blank: Self {
    Self(handle: "", isPublic: false, createdAt: .earliest, updatedAt: .earliest)
  }

  public mutating func visit(_ state: inout StateCoder) {
    visitMembers(&state)
    state(&photo)
    state(&location)
    state(&sports)
    state(&sendCount)
    state(&createdAt)
    state(&updatedAt)
  }
}

extension ProfileMembers {
  package mutating func visitMembers(_ state: inout StateCoder) {
    state(&handle)
    state(&displayName)
    state(&bio)
    state(&homeGym)
    state(&homeZIP)
    state(&climbingSince)
    state(&favoriteStyle)
    state(&boulderGradeScale)
    state(&routeGradeScale)
    state(&isPublic)
    state(&riderType)
  }
}
