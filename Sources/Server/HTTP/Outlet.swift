import Synchronization

/// A buffer for the messages of a streamed answer. The answer's connection takes messages from it.
///
/// It holds at most two messages: one that is being sent, and one that waits. A newer message
/// replaces the waiting message. The stream ends if there is no room for a message that is not
/// read.
public final class Outlet: Sendable {
  /// The result of `take`.
  public enum Taken: Sendable {
    /// The next bytes to send.
    case bytes(ArraySlice<UInt8>)
    /// There is nothing to send yet. `take` has called `sleep`; the outlet will call `wake` when
    /// there is a message.
    case nothing
    /// The end of the stream.
    case end
  }

  private struct State {
    var current: ArraySlice<UInt8> = []
    /// The size of the whole message that is being sent.
    var size = 0
    /// The bytes of this outlet in the counts of unread bytes.
    var counted = 0
    var waiting: [UInt8]?
    var isOver = false
    var isAsleep = false
    var isGone = false
    var wake: (@Sendable () -> Void)?
    var isClosed: (@Sendable () -> Bool)?
  }

  private let state = Mutex(State())
  private let unread: UnreadAnswers?
  private let reader: String?
  /// Called after the connection has taken all messages.
  private let drained: @Sendable () -> Void
  /// Called once, after the connection has ended.
  private let gone: @Sendable () -> Void

  /// - Parameters:
  ///   - unread: counts the messages that the client has not read, and limits them; nil does not.
  ///   - reader: the user of the client, for these counts; nil counts only for the server.
  init(
    unread: UnreadAnswers? = nil, of reader: String? = nil,
    drained: @escaping @Sendable () -> Void = {}, gone: @escaping @Sendable () -> Void = {}
  ) {
    (self.unread, self.reader, self.drained, self.gone) = (unread, reader, drained, gone)
  }

  /// Adds a message, to be sent after the current message. Replaces a message that already waits.
  func offer(_ message: [UInt8]) { offerLater(message)?() }

  /// Adds a message like `offer`, without waking the connection.
  /// - Returns: the closure that wakes the connection; nil if it is awake.
  func offerLater(_ message: [UInt8]) -> (@Sendable () -> Void)? {
    change { offer(message, &$0) }
  }

  private func offer(_ message: [UInt8], _ state: inout State) {
    // The waiting message makes room for its successor.
    state.waiting = nil
    count(&state)
    if unread?.reserve(message.count, of: reader) != nil {
      state.isOver = true
    } else {
      state.counted += message.count
      state.waiting = message
    }
  }

  /// Counts the bytes of the messages again.
  private func count(_ state: inout State) {
    let bytes = (state.current.isEmpty ? 0 : state.size) + (state.waiting?.count ?? 0)
    unread?.add(bytes - state.counted, of: reader)
    state.counted = bytes
  }

  /// Sends a message, unless another message is being sent or waits.
  func offerIfIdle(_ message: [UInt8]) {
    change { if $0.current.isEmpty, $0.waiting == nil { offer(message, &$0) } }?()
  }

  /// Ends the stream after the current and the waiting message.
  func end() { change { $0.isOver = true }?() }

  private func change(_ body: (inout State) -> Void) -> (@Sendable () -> Void)? {
    state.withLock { state in
      if state.isGone { return nil }
      body(&state)
      let hasNews = state.waiting != nil || state.isOver
      guard state.isAsleep, hasNews else { return nil }
      state.isAsleep = false
      return state.wake
    }
  }

  /// Sets the closures that wake the connection and that return whether the client has
  /// disconnected. Call this function once, before the first `take`.
  public func connect(
    wake: @escaping @Sendable () -> Void, isClosed: @escaping @Sendable () -> Bool
  ) {
    state.withLock { ($0.wake, $0.isClosed) = (wake, isClosed) }
  }

  /// Ends the stream if the client has disconnected. While the stream sends nothing, only this call
  /// detects a disconnected client.
  func endIfClosed() {
    change { state in
      if state.isAsleep, state.isClosed?() == true { state.isOver = true }
    }?()
  }

  /// Returns the next bytes to send.
  /// - Parameters:
  ///   - most: the largest number of bytes to return.
  ///   - sleep: called if there is nothing to send, before `wake` can be called.
  public func take(_ most: Int, sleep: () -> Void) -> Taken {
    let (taken, isDrained) = state.withLock { state -> (Taken, Bool) in
      if state.current.isEmpty, let waiting = state.waiting {
        (state.current, state.size) = (waiting[...], waiting.count)
        state.waiting = nil
      }
      if !state.current.isEmpty {
        let piece = state.current.prefix(most)
        state.current = state.current.dropFirst(piece.count)
        count(&state)
        return (.bytes(piece), false)
      }
      if state.isOver { return (.end, false) }
      state.current = []
      state.isAsleep = true
      sleep()
      return (.nothing, true)
    }
    if isDrained { drained() }
    return taken
  }

  /// Drops all messages, because the connection has ended.
  public func disconnect() {
    let isFirst = state.withLock { state in
      if state.isGone { return false }
      (state.isGone, state.isAsleep) = (true, false)
      (state.current, state.waiting, state.wake, state.isClosed) = ([], nil, nil, nil)
      count(&state)
      return true
    }
    if isFirst { gone() }
  }
}
