import EventLog
import Events
import Projections

/// A sequence for screens: a query's current answer, then each answer that differs from the
/// previous one.
///
/// ```swift
/// for try await counts in core.updates(of: GetFollowCounts(core), .init(user: "bob")) {
///   label = "\(counts.followers) followers"
///   break  // or go on as long as the screen is there
/// }
/// ```
/// If the state changes several times while the app processes an answer, the sequence delivers only
/// the newest answer. The sequence ends by throwing the query's error, for example if a profile was
/// deleted. It also ends with an error of reading the events of another process.
/// - Complexity: one query after each batch of commands, and after each reading of other writers'
///   events.
public struct Updates<Output: Equatable & Sendable>: AsyncSequence {
  public typealias Element = Output
  public typealias Failure = UseCaseError
  typealias Asking = @Sendable () async throws(UseCaseError) -> Output

  let core: Core
  let ask: Asking

  public struct AsyncIterator: AsyncIteratorProtocol {
    let core: Core
    let ask: Asking
    var changes: AsyncStream<Void>.AsyncIterator
    var last: Output?
    var isOver = false

    public mutating func next() async throws(UseCaseError) -> Output? {
      try await next(isolation: nil)
    }

    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(UseCaseError) -> Output? {
      while !isOver, await changes.next(isolation: actor) != nil {
        let answer: Output
        do throws(UseCaseError) {
          if let failure = core.state.withLock({ $0.failure }) { throw .log(failure) }
          answer = try await ask()
        } catch {
          isOver = true
          throw error
        }
        if answer == last { continue }
        last = answer
        return answer
      }
      return nil
    }
  }

  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(core: core, ask: ask, changes: core.changes().makeAsyncIterator())
  }
}

extension Core {
  /// Starts a task that reads the new events whenever the store reports that other writers may have
  /// appended.
  ///
  /// The task retries a failed read once, because the writer may be undoing an append for which
  /// there was no disk space.
  func follow() {
    guard let changes = store.changes() else { return }
    let task = Task { [weak self] in
      // Reads the events appended after the core was opened and before the watch of the folder
      // began.
      await self?.catchUp(tries: 2)
      for await _ in changes { await self?.catchUp(tries: 2) }
    }
    state.withLock { $0.following = task }
  }

  private func catchUp(tries: Int) async {
    for left in (0..<tries).reversed() {
      do throws(UseCaseError) {
        return try await catchUp()
      } catch {
        guard left == 0, case .log(let failure) = error else {
          await environment.sleep(.milliseconds(50))
          continue
        }
        state.withLock { state in
          state.failure = failure
          state.notify()
        }
      }
    }
  }

  /// Returns a query's answer now, and again whenever the answer changes.
  public func updates<Q: Query>(
    of query: Q, _ input: Q.Input, as caller: Caller = nil
  ) -> Updates<Q.Output> {
    let core = query.core
    return Updates(core: core) { () async throws(UseCaseError) in
      try await core.performed(Call(Q.self, input, as: caller)).output
    }
  }

  /// Returns a stream that yields once immediately, and again after each change of the state that
  /// queries see.
  public func changes() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    continuation.yield()
    let number = state.withLock { state in
      state.observersMade += 1
      state.observers[state.observersMade] = continuation
      return state.observersMade
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { state in state.observers[number] = nil }
    }
    return stream
  }
}

extension Core {
  /// Answers a query from the core's present state, on the calling thread.
  /// - Returns: the reply, the position of the last event that it reflects, and the ids on whose
  ///   state it depends. Nil if the call is not a query, or is a query that first reads other
  ///   writers' events. Also nil if the core's checkpoint is damaged, so that the core must rebuild
  ///   its state first.
  package func followed(
    _ call: Call
  ) -> (reply: Reply, position: UInt64, footprint: Footprint)? {
    guard case .query(refreshes: false, let ask) = call.work else { return nil }
    let reads = ReadSet()
    guard let (result, position) = answered(call.caller, recording: reads, ask) else { return nil }
    let footprint = state.withLock { $0.model.footprint(of: reads) }
    return (Reply(result.map { $0.json }), position, footprint)
  }

  /// Returns the ids that events may have changed since the last call; all ids at the first call.
  package func takeTouched() -> TouchedIDs {
    state.withLock { state in
      defer { state.model.touched = TouchedIDs() }
      return state.model.touched ?? .all
    }
  }
}
