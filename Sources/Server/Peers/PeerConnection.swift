/// A connection to the other servers, for one batch of requests at a time.
package protocol PeerConnection: Sendable {
  /// Sends a batch, and waits for the answer.
  /// - Parameter isOver: called about once a second, and while bytes arrive. If it returns true,
  ///   the call ends.
  func post(
    _ body: [UInt8], to url: String, _ authorization: String,
    isOver: @escaping @Sendable () -> Bool
  ) async -> PeerOutcome
}

/// The outcome of sending a batch.
package enum PeerOutcome: Sendable {
  case answer(status: Int, [UInt8])
  /// The other server did not receive the batch.
  case unsent
  /// The other server may have received the batch and performed its requests.
  case unknown
}
