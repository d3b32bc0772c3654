import Synchronization

/// What a stream has to send: written by who knows the answers, taken by the connection.
///
/// It holds at most the message being sent and one that waits; a newer one takes the place of that.
public final class Outlet: Sendable {
  /// What the connection does next.
  public enum Taken: Sendable {
    case bytes(ArraySlice<UInt8>)
    /// Nothing is there, and `sleep` was called; `wake` will be.
    case nothing
    case end
  }

  private struct State {
    var current: ArraySlice<UInt8> = []
    var waiting: [UInt8]?
    var isOver = false
    var isAsleep = false
    var isGone = false
    var wake: (@Sendable () -> Void)?
    var isClosed: (@Sendable () -> Bool)?
  }

  private let state = Mutex(State())
  /// Called when all was taken and more may be written.
  private let drained: @Sendable () -> Void
  /// Called once, when the connection has ended.
  private let gone: @Sendable () -> Void

  init(
    drained: @escaping @Sendable () -> Void = {}, gone: @escaping @Sendable () -> Void = {}
  ) {
    self.drained = drained
    self.gone = gone
  }

  /// Has a message sent next; one that waits is not sent then.
  func offer(_ message: [UInt8]) { change { $0.waiting = message } }

  /// Has a message sent if nothing else is to be.
  func offerIfIdle(_ message: [UInt8]) {
    change { if $0.current.isEmpty, $0.waiting == nil { $0.waiting = message } }
  }

  /// Ends the stream after what is still to be sent.
  func end() { change { $0.isOver = true } }

  private func change(_ body: (inout State) -> Void) {
    let wake = state.withLock { state -> (@Sendable () -> Void)? in
      body(&state)
      let hasNews = state.waiting != nil || state.isOver
      guard state.isAsleep, !state.isGone, hasNews else { return nil }
      state.isAsleep = false
      return state.wake
    }
    wake?()
  }

  /// Sets what wakes the connection, and says whether its client has closed it. Called once, before
  /// the first `take`.
  public func connect(
    wake: @escaping @Sendable () -> Void, isClosed: @escaping @Sendable () -> Bool
  ) {
    state.withLock { ($0.wake, $0.isClosed) = (wake, isClosed) }
  }

  /// Ends the stream if its client has gone, which nobody else notices while nothing is sent.
  func endIfClosed() {
    change { state in
      if state.isAsleep, !state.isGone, state.isClosed?() == true { state.isOver = true }
    }
  }

  /// - Parameter sleep: called if there is nothing to send, before anybody can call `wake`.
  public func take(_ most: Int, sleep: () -> Void) -> Taken {
    let (taken, isDrained) = state.withLock { state -> (Taken, Bool) in
      if state.current.isEmpty, let waiting = state.waiting {
        state.current = waiting[...]
        state.waiting = nil
      }
      if !state.current.isEmpty {
        let piece = state.current.prefix(most)
        state.current = state.current.dropFirst(piece.count)
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

  /// The connection has ended.
  public func disconnect() {
    let isFirst = state.withLock { state in
      if state.isGone { return false }
      (state.isGone, state.isAsleep) = (true, false)
      (state.current, state.waiting, state.wake, state.isClosed) = ([], nil, nil, nil)
      return true
    }
    if isFirst { gone() }
  }
}
