import Foundation

extension Thread {
  /// Returns the result of `body`, which runs on its own thread: the pool's few threads also run
  /// the other tests, and the server that a blocking call waits for.
  public static func result<Value: Sendable, Failure: Error>(
    of body: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
      detachNewThread {
        continuation.resume(returning: Result { () throws(Failure) in try body() })
      }
    }
    return try result.get()
  }
}
