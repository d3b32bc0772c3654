import EventLog
import Events

/// The last event that a subscriber of a log has processed. The event's checksum shows whether the
/// log was replaced by another log.
public struct SubscriptionPosition: Equatable, Sendable {
  /// The event's position in the log; 0 if the subscriber has processed no event.
  public var seq: UInt64
  /// The event's checksum.
  public var sum: UInt64

  /// Creates a position; by default, no event was processed.
  public init(seq: UInt64 = 0, sum: UInt64 = 0) { (self.seq, self.sum) = (seq, sum) }

  init(_ head: LogHead) { self.init(seq: head.seq, sum: head.sum) }
}

/// A port that stores a subscriber's position. An app implements it if it has a better place than a
/// file.
public protocol PositionStorage: Sendable {
  /// Returns the saved position; nil if no position was ever saved.
  func load() async throws(SubscriptionError) -> SubscriptionPosition?
  /// Saves a position so that it survives a power failure.
  func save(_ position: SubscriptionPosition) async throws(SubscriptionError)
}

/// The reason why a subscriber of a log stopped. The subscriber's position before the failure is
/// saved.
public enum SubscriptionError: Error, Equatable, CustomStringConvertible {
  /// The log cannot be read.
  case log(LogError)
  /// The subscriber's position cannot be read or saved, or belongs to another log.
  case position(String)
  /// The subscriber's work for the event at `seq` failed. The next run retries it.
  case failed(seq: UInt64, reason: String)

  public var description: String {
    switch self {
    case .log(let error): "\(error)"
    case .position(let reason): reason
    case .failed(let seq, let reason): "event \(seq): \(reason)"
    }
  }
}

/// A file that stores a subscriber's position in one line, such as `1234 5f0c3a5d9be17264`. Each
/// save replaces the file atomically.
public struct PositionFile: PositionStorage {
  private let path: String
  private let files: FileSystem

  /// Creates storage in the file at a path.
  public init(_ path: String, files: FileSystem = .posix) {
    (self.path, self.files) = (path, files)
  }

  public func load() async throws(SubscriptionError) -> SubscriptionPosition? {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try files.contents(of: path, limit: 256)
    } catch {
      if error.isNotFound { return nil }
      throw .position("\(error)")
    }
    let words =
      String(decoding: bytes, as: UTF8.self).split(separator: "\n", maxSplits: 1)
      .first?.split(separator: " ") ?? []
    guard words.count == 2, let seq = UInt64(words[0]), let sum = UInt64(words[1], radix: 16) else {
      throw .position(
        "\(path): a number and a checksum are expected; remove the file to start again")
    }
    return SubscriptionPosition(seq: seq, sum: sum)
  }

  public func save(_ position: SubscriptionPosition) async throws(SubscriptionError) {
    let line = "\(position.seq) \(position.sum.padded(to: 16, radix: 16))\n"
    do throws(FileError) {
      try files.replace(path, in: parentDirectory(path), Array(line.utf8))
    } catch {
      throw .position("\(error)")
    }
  }
}

extension History {
  /// Checks that the log still has the event that a subscriber processed last.
  /// - Throws: `position` if the log has another event or none at that position.
  func check(_ position: SubscriptionPosition) throws(SubscriptionError) {
    do throws(LogError) {
      let head = try self.head()
      if position.seq <= head.seq, try self.head(at: position.seq).sum == position.sum { return }
    } catch {
      throw .log(error)
    }
    throw .position(
      "the saved position \(position.seq) belongs to another log than \(name); remove it and retry")
  }
}
