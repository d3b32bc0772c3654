import Events
import UseCases

extension Core {
  /// Makes the personal log of a user; see `PersonalLog`.
  ///
  /// - Throws: `profileNotFound` if the user has no open account; errors of reading the log.
  /// - Complexity: O(size of the personal log, and of the lists from which it is made), on a
  ///   snapshot of the state: commands are decided and queries answered meanwhile.
  public func personalLog(
    of user: String, _ bounds: PersonalLog.Bounds = PersonalLog.Bounds()
  ) async throws(UseCaseError) -> PersonalLog {
    try await personalLog(for: Caller(user), bounds)
  }

  /// Makes the personal log of a caller who is a user.
  package func personalLog(
    for caller: Caller, _ bounds: PersonalLog.Bounds = PersonalLog.Bounds()
  ) async throws(UseCaseError) -> PersonalLog {
    while true {
      if let log = personalLogApart(for: caller, bounds) { return try log.get() }
      try await rebuildIfDamaged()
    }
  }

  /// Makes the personal log of a caller who is a user, on the calling thread.
  /// - Returns: nil if the state must be rebuilt first, as `personalLog` does.
  package func personalLogApart(
    for caller: Caller, _ bounds: PersonalLog.Bounds = PersonalLog.Bounds()
  ) -> Result<PersonalLog, UseCaseError>? {
    answeredApart(caller) { (model, caller) throws(UseCaseError) in
      model.personalLog(of: try model.signedIn(caller), bounds)
    }?.result
  }
}
