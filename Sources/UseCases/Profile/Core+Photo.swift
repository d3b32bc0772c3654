import Aggregates
import Events

extension Core {
  /// - Returns: the id of the caller, who has a profile.
  func mayChangePhoto(
    of user: String?, _ caller: Caller
  ) async throws(UseCaseError) -> String {
    try await catchUp()
    return try state.withLock { (state) throws(UseCaseError) in
      let viewer = try state.model.signedIn(caller)
      if let user, state.model.existing(user) != viewer { throw .refused(.notAuthorized) }
      return state.model.names[viewer]
    }
  }
}
