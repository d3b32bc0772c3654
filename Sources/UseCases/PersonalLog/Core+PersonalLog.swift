import Events

extension Core {
  /// Makes the personal log of a user; see `PersonalLog`.
  ///
  /// - Throws: `profileNotFound` if the user has no open account; errors of reading the log.
  /// - Complexity: O(size of the personal log): about 10 µs for each event in it. No command is
  ///   decided meanwhile.
  public func personalLog(
    of user: String, _ bounds: PersonalLog.Bounds = PersonalLog.Bounds()
  ) async throws(UseCaseError) -> PersonalLog {
    let (log, _) = try await answer(to: Caller(user)) { (model, caller) throws(UseCaseError) in
      model.personalLog(of: try model.signedIn(caller), bounds)
    }
    return try log.get()
  }
}
