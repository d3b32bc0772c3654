import Events

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A list of numbers in a new file that is mapped into memory. If a trap or a signal ends the
/// process, the file still has every number. Use it from one task at a time.
/// - Complexity: a few stores for each number, and no system call.
package final class MappedNumbers: @unchecked Sendable {
  private let path: String
  private let file: Int32
  /// The first word of the file is the count of numbers.
  private let count: UnsafeMutablePointer<Int>
  private let numbers: UnsafeMutablePointer<UInt64>
  /// The greatest count. The file is sparse, so it takes only the space that is used.
  private static let capacity = 262_143
  private static let size = (capacity + 1) * 8

  /// Creates the file, and takes a lock on it until the object is released or the process ends.
  /// - Returns: nil if the file exists, or if the system refuses a call.
  package init?(path: String) {
    let files = FileSystem.posix
    guard let file = try? files.open(path, .createNew) else { return nil }
    guard (try? files.lock(file, path)) == true,
      (try? files.truncate(file, Self.size, path)) != nil,
      let start = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
      start != MAP_FAILED
    else {
      try? files.close(file, path)
      return nil
    }
    (self.path, self.file) = (path, file)
    count = start.bindMemory(to: Int.self, capacity: 1)
    numbers = (start + 8).bindMemory(to: UInt64.self, capacity: Self.capacity)
  }

  deinit {
    munmap(count, Self.size)
    try? FileSystem.posix.close(file, path)
  }

  /// Removes all numbers.
  package func removeAll() { count.pointee = 0 }

  /// Appends a number. Ignores it if the list is full.
  package func append(_ number: UInt64) {
    // Unoptimized builds would call a conversion of the count as a function.
    let end = count.pointee
    if end >= Self.capacity { return }
    numbers[end] = number
    count.pointee = end &+ 1
  }

  /// Removes the file.
  package func remove() { try? FileSystem.posix.remove(path) }

  /// Returns the numbers in a file, and removes the file.
  /// - Returns: nil if there is no such file, if another object still appends to it, or if it is
  ///   damaged.
  package static func take(_ path: String) -> [UInt64]? {
    let files = FileSystem.posix
    guard let file = try? files.open(path, .append) else { return nil }
    defer { try? files.close(file, path) }
    guard (try? files.isLocked(file, path)) == false else { return nil }
    defer { try? files.remove(path) }
    func words(_ range: Range<Int>) -> [UInt64] {
      let bytes = (try? files.bytes(file, range.lowerBound * 8..<range.upperBound * 8, path)) ?? []
      return bytes.withUnsafeBytes { raw in
        (0..<raw.count / 8).map { raw.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self) }
      }
    }
    guard let count = words(0..<1).first, count <= capacity else { return nil }
    let numbers = words(1..<Int(count) + 1)
    return numbers.count == Int(count) ? numbers : nil
  }
}
