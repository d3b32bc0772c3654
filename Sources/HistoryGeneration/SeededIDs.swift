import Events
import Synchronization

/// A generator of the random part of event ids, from a seed.
package final class SeededIDs: Sendable {
  private let random: Mutex<SplitMix64>

  package init(seed: UInt64) { random = Mutex(SplitMix64(seed: seed &* 0x2545_f491_4f6c_dd1d)) }

  package func next() -> (UInt64, UInt64) { random.withLock { ($0.next(), $0.next()) } }
}
