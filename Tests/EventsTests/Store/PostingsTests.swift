import Testing

@testable import EventLog
@testable import Events

/// Positions by hash, compared with a dictionary.
@Suite struct PostingsTests {
  @Test("Both kinds of postings find what a dictionary finds, for any spread of hashes")
  func againstADictionary() {
    for seed in 0..<60 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      // All 32 bits, a few of the highest, or a narrow range.
      let mask: UInt32 = [.max, 0xf000_0000, 0x0000_00ff, 0xffff_0000][Int(seed % 4)]
      var (sorted, growing) = (Postings(), GrowingPostings())
      var expected: [UInt32: [UInt64]] = [:]
      var position: UInt64 = 0
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        let hashes = (0..<Int.random(in: 0...700, using: &random)).map { _ in
          UInt32.random(in: 0 ... .max, using: &random) & mask
        }
        sorted = sorted.adding(hashes, after: position)
        for hash in hashes {
          position += 1
          growing.insert(hash, position)
          expected[hash, default: []].append(position)
        }
      }
      #expect(sorted.count == Int(position))
      let others = (0..<200).map { _ in UInt32.random(in: 0 ... .max, using: &random) }
      for hash in others + Array(expected.keys) + [0, .max] {
        #expect(sorted.positions(of: hash) == expected[hash] ?? [], "seed \(seed)")
        #expect(growing.positions(of: hash) == expected[hash] ?? [], "seed \(seed)")
      }
    }
  }
}
