import Events
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The system's random numbers, fetched 32 at a time, because each fetch is a system call. With two
/// fetches for each event, they took a twentieth of a durable command's time.
final class SystemRandomness: Sendable {
  private static let most = 32  // getentropy(3) returns at most 256 bytes
  private let numbers = Mutex<[UInt64]>([])

  @Sendable func pair() -> (UInt64, UInt64) {
    numbers.withLock { numbers in
      if numbers.count < 2 { numbers = Self.fetched() }
      return (numbers.removeLast(), numbers.removeLast())
    }
  }

  private static func fetched() -> [UInt64] {
    var isFilled = false
    let numbers = [UInt64](unsafeUninitializedCapacity: most) { buffer, count in
      isFilled = getentropy(buffer.baseAddress!, most * MemoryLayout<UInt64>.size) == 0
      count = isFilled ? most : 0
    }
    if isFilled { return numbers }
    return (0..<most).map { _ in .random(in: .min ... .max) }
  }
}
