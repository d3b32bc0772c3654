import Synchronization

/// Where a table is in a checkpoint's file, and which of its blocks are in memory.
package final class FilePages: PageSource {
  private struct State {
    var isLoaded: [Bool]
    var loadedCount = 0
  }
  private let state: Mutex<State>
  private let file: CheckpointFile
  private let range: Range<Int>
  /// The sums of its blocks.
  private let sums: ArraySlice<UInt64>

  init(_ file: CheckpointFile, _ range: Range<Int>, _ sums: ArraySlice<UInt64>) {
    self.file = file
    self.range = range
    self.sums = sums
    state = Mutex(State(isLoaded: [Bool](repeating: false, count: sums.count)))
  }

  /// Reads the block at an offset, unless it was read before.
  /// - Returns: whether all blocks are in memory now; when many were asked for, the rest is read.
  package func load(_ offset: Int, into base: UnsafeMutableRawPointer, blank: [UInt8]) -> Bool {
    let block = offset / Pages.size
    return state.withLock { state in
      // Past the end of what the file holds is room that the slab has grown into.
      guard block < state.isLoaded.count, !state.isLoaded[block] else {
        return state.loadedCount == state.isLoaded.count
      }
      if state.loadedCount >= 64, state.loadedCount * 8 > state.isLoaded.count {
        read(&state, 0..<state.isLoaded.count, base, blank)
      } else {
        read(&state, block..<block + 1, base, blank)
      }
      return state.loadedCount == state.isLoaded.count
    }
  }

  package func loadAll(into base: UnsafeMutableRawPointer, blank: [UInt8]) {
    state.withLock { read(&$0, 0..<$0.isLoaded.count, base, blank) }
  }

  /// Reads the blocks of a range that are not in memory, runs of them at once.
  private func read(
    _ state: inout State, _ blocks: Range<Int>, _ base: UnsafeMutableRawPointer, _ blank: [UInt8]
  ) {
    var next = blocks.lowerBound
    while next < blocks.upperBound {
      if state.isLoaded[next] {
        next += 1
        continue
      }
      var end = next + 1
      while end < blocks.upperBound, !state.isLoaded[end], end - next < 256 { end += 1 }
      let bytes = next * Pages.size..<min(end * Pages.size, range.count)
      let isRead = file.read(
        range.lowerBound + bytes.lowerBound, bytes.count, into: base + bytes.lowerBound)
      for block in next..<end {
        let start = block * Pages.size
        let count = min(Pages.size, range.count - start)
        let sum = sums[sums.startIndex + block]
        if !isRead || XXH64.hash(base + start, count, seed: UInt64(block)) != sum {
          file.noteDamage()
          for index in start..<start + count {
            base.storeBytes(of: blank[index % blank.count], toByteOffset: index, as: UInt8.self)
          }
        }
        state.isLoaded[block] = true
      }
      state.loadedCount += end - next
      next = end
    }
  }
}
