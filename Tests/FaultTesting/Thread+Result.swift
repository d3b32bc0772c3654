import Foundation

extension Thread {
  /// Returns the result of `body`, which runs on its own thread: the pool's few threads also run
  /// the other tests, and the server that a blocking call waits for.
  public static func result<Value: Sendable>(
    of body: @escaping @Sendable () -> Value
  ) async -> Value {
    await withCheckedContinuation { continuation in
      detachNewThread { continuation.resume(returning: body()) }
    }
  }
}
