import Synchronization

/// The random part of event ids, from a seed: SplitMix64 (Steele, Lea and Flood, 2014).
final class SeededIDs: Sendable {
  private let state: Atomic<UInt64>

  init(seed: UInt64) { state = Atomic(seed &* 0x2545_f491_4f6c_dd1d) }

  func next() -> (UInt64, UInt64) { (word(), word()) }

  private func word() -> UInt64 {
    let gamma: UInt64 = 0x9e37_79b9_7f4a_7c15
    var z = state.wrappingAdd(gamma, ordering: .relaxed).newValue
    z = (z ^ z >> 30) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ z >> 27) &* 0x94d0_49bb_1331_11eb
    return z ^ z >> 31
  }
}
