import EventLog
import Events
import Projections
import Synchronization

/// A queue of a log's chunks, which several tasks scan. It passes the scanned chunks, in log order,
/// to the one task that applies them.
///
/// The applying task also scans chunks while it waits for the next chunk to apply. All cores are
/// then busy, whether scanning or applying takes longer. At most `window` chunks are in memory.
final class ParallelScan<H: History>: Sendable {
  private struct State {
    /// The index of the next chunk to scan.
    var next = 0
    /// The index of the next chunk to apply.
    var needed = 0
    var ready: [Int: Result<ScannedChunk, LogError>] = [:]
    var idle: [CheckedContinuation<Void, Never>] = []
    var applier: CheckedContinuation<Void, Never>?
    var isStopped = false
  }

  private let state = Mutex(State())
  private let history: H
  private let chunks: [H.Chunk]
  private let wanted: EventTypes
  private let filter: LineFilter?
  private let window: Int

  init(
    _ history: H, _ chunks: [H.Chunk], wanted: EventTypes, filter: LineFilter? = nil, jobs: Int
  ) {
    (self.history, self.chunks, self.wanted, self.filter) = (history, chunks, wanted, filter)
    window = max(jobs, 1) * 4
  }

  private func scan(_ index: Int) {
    let result: Result<ScannedChunk, LogError>
    do throws(LogError) {
      var chunk = try history.scan(chunks[index], wanted: wanted)
      if let filter { chunk.keep(filter) }
      result = .success(chunk)
    } catch {
      result = .failure(error)
    }
    let applier = state.withLock { state -> CheckedContinuation<Void, Never>? in
      state.ready[index] = result
      guard index == state.needed else { return nil }
      defer { state.applier = nil }
      return state.applier
    }
    applier?.resume()
  }

  private enum Turn {
    case scan(Int)
    case wait, stop
  }

  private func turn(_ state: inout State) -> Turn {
    if state.isStopped || state.next >= chunks.count { return .stop }
    guard state.next < state.needed + window else { return .wait }
    defer { state.next += 1 }
    return .scan(state.next)
  }

  func help() async {
    while true {
      switch state.withLock({ turn(&$0) }) {
      case .scan(let index): scan(index)
      case .stop: return
      case .wait:
        await withCheckedContinuation { continuation in
          let goesOn = state.withLock { state in
            let canScan =
              state.isStopped || state.next < state.needed + window
              || state.next >= chunks.count
            if !canScan { state.idle.append(continuation) }
            return canScan
          }
          if goesOn { continuation.resume() }
        }
      }
    }
  }

  /// Returns a chunk's scan result. Scans other chunks until that result is ready.
  func take(_ index: Int) async throws(LogError) -> ScannedChunk {
    while true {
      let (result, turn, idle) = state.withLock {
        state -> (Result<ScannedChunk, LogError>?, Turn, [CheckedContinuation<Void, Never>]) in
        state.needed = index
        let idle = state.idle
        state.idle = []
        if let result = state.ready.removeValue(forKey: index) { return (result, .wait, idle) }
        return (nil, self.turn(&state), idle)
      }
      for helper in idle { helper.resume() }
      if let result { return try result.get() }
      if case .scan(let other) = turn {
        scan(other)
      } else {
        await waitForNeeded(index)
      }
    }
  }

  private func waitForNeeded(_ index: Int) async {
    await withCheckedContinuation { continuation in
      let isReady = state.withLock { state in
        if state.ready[index] != nil { return true }
        state.applier = continuation
        return false
      }
      if isReady { continuation.resume() }
    }
  }

  func stop() {
    let idle = state.withLock { state in
      state.isStopped = true
      defer { state.idle = [] }
      return state.idle
    }
    for helper in idle { helper.resume() }
  }
}
