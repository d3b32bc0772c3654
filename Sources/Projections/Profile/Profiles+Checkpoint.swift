import Events

extension Profiles.Profile: Storable {
  public static var blank: Self {
    Self(isPublic: false, createdAt: .earliest, updatedAt: .earliest)
  }

  public mutating func code(with coder: inout RecordCoder) {
    codeMembers(with: &coder)
    coder(&photo)
    coder(&location)
    coder(&sports)
    coder(&sendCount)
    coder(&weeklyGoal)
    coder(&premium)
    coder(&createdAt)
    coder(&updatedAt)
  }
}
