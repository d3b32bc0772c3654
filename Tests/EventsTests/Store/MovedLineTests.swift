import FaultTesting
import Testing

@testable import EventLog
@testable import Events

/// Faults 25: every reading finds and names a line that was deleted (except at the end), doubled or
/// swapped.
@Suite struct MovedLineTests {
  enum Move: CaseIterable, Sendable {
    case deleted, doubled, swapped, movedToEnd

    /// Returns the lines after the move and the first wrong one; nil if the log stays valid.
    func apply(_ lines: [[UInt8]], at index: Int) -> (lines: [[UInt8]], wrong: Int)? {
      var lines = lines
      switch self {
      case .deleted:
        lines.remove(at: index)
        return (lines, index)
      case .doubled:
        lines.insert(lines[index], at: index)
        return (lines, index + 1)
      case .swapped:
        guard index + 1 < lines.count else { return nil }
        lines.swapAt(index, index + 1)
        return (lines, index)
      case .movedToEnd:
        guard index + 1 < lines.count else { return nil }
        lines.append(lines.remove(at: index))
        return (lines, index)
      }
    }
  }

  @Test("faults 25: a line that was moved is found and named", arguments: Move.allCases)
  func moved(_ move: Move) async throws {
    let (files, head) = try await BitFlipTests.reference()
    let names = files.keys.sorted()
    var (before, moves) = (0, 0)
    for (place, name) in names.enumerated() {
      let bytes = files[name] ?? []
      let lines = bytes.split(separator: 0x0a).map { Array($0) + [0x0a] }
      for index in lines.indices {
        let isLastOfAll = place == names.count - 1 && index == lines.count - 1
        if move == .deleted, isLastOfAll { continue }  // a shorter log that is whole
        guard let (changed, wrong) = move.apply(lines, at: index) else { continue }
        moves += 1
        let memory = MemoryFiles(files)
        memory.set(name, Array(changed.joined()))
        for way in BitFlipTests.Way.allCases {
          #expect(way.finds(memory, head), "\(move), \(name), line \(index + 1): \(way)")
        }
        guard try memory.view.tail == .none else { continue }  // doubled in the last commit
        let found = damage { _ = try memory.view.verify() }
        #expect(found?.seq == UInt64(before + wrong + 1), "\(move), \(name), line \(index + 1)")
        // If the segment ends too soon, the next segment does not follow.
        let isInNext = wrong == changed.count
        let file = isInNext ? names[place + 1] : name
        #expect(found?.file == MemoryFiles.folder + "/" + file)
        #expect(found?.line == (isInNext ? 1 : wrong + 1))
      }
      before += lines.count
    }
    Sweep.tally("lines \(move), all found", moves)
  }

  @Test("faults 25: a segment that is missing, empty or in another's place is found")
  func movedSegments() async throws {
    let (files, head) = try await BitFlipTests.reference()
    let names = files.keys.sorted()
    #expect(names.count >= 2)
    var variants: [[String: [UInt8]]] = []
    for name in names.dropLast() {
      var missing = files
      missing[name] = nil
      variants.append(missing)
      var empty = files
      empty[name] = []
      variants.append(empty)
    }
    var exchanged = files
    exchanged[names[0]] = files[names[1]]
    exchanged[names[1]] = files[names[0]]
    variants.append(exchanged)
    var renamed = files
    renamed[SegmentName.make(head.seq + 5)] = files[names[names.count - 1]]
    renamed[names[names.count - 1]] = nil
    variants.append(renamed)
    for (number, variant) in variants.enumerated() {
      for way in BitFlipTests.Way.allCases {
        #expect(way.finds(MemoryFiles(variant), head), "variant \(number): \(way)")
      }
    }
  }
}
