import Aggregates
import Events

/// A use case that stores or deletes a photo, then performs a command.
protocol PhotoUseCase: DescribedUseCase {
  /// - Returns: the answer, and the positions of the events appended.
  func perform(
    _ input: Input, _ caller: Caller, _ key: RetryKey?
  ) async throws(UseCaseError) -> (output: Output, seqs: Range<UInt64>)
}

extension Core {
  /// Performs the command that records a photo; a retry of it is done again as a whole.
  func performed<C: Command>(
    _ command: C, _ input: C.Input, as caller: Caller, key: RetryKey?
  ) async throws(UseCaseError) -> (output: C.Output, seqs: Range<UInt64>) {
    var call = Call(command, input, as: caller, key: key)
    call.notesUse = false
    return try await performed(call)
  }

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
