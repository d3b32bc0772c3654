import EventLog
import Events

/// A port that stores a subscriber's position. An app implements it if it has a better place than a
/// file. It should store all fields of the position: `time` and `rewritings` show, after the log
/// was rewritten, that the position belongs to it.
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

/// A file that stores a subscriber's position. Each save replaces the file atomically.
///
/// The first line has the event's position and checksum, such as `1234 5f0c3a5d9be17264`. The
/// second line has the event's time and the number of the log's rewritings, such as
/// `2026-03-06T19:26:32.827Z 1`. Files of earlier versions lack the second line.
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
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    let words = lines.first?.split(separator: " ") ?? []
    guard words.count == 2, let seq = UInt64(words[0]), let sum = UInt64(words[1], radix: 16) else {
      throw .position(
        "\(path): a number and a checksum are expected; remove the file to start again")
    }
    var position = SubscriptionPosition(seq: seq, sum: sum)
    let rest = lines.dropFirst().first?.split(separator: " ") ?? []
    if rest.count == 2, let time = Timestamp(String(rest[0])), let rewritings = Int(rest[1]) {
      (position.time, position.rewritings) = (time, rewritings)
    }
    return position
  }

  public func save(_ position: SubscriptionPosition) async throws(SubscriptionError) {
    var text = "\(position.seq) \(position.sum.padded(to: 16, radix: 16))\n"
    if let time = position.time, let rewritings = position.rewritings {
      text += "\(time) \(rewritings)\n"
    }
    do throws(FileError) {
      try files.replace(path, in: parentDirectory(path), Array(text.utf8))
    } catch {
      throw .position("\(error)")
    }
  }
}

/// A log's history, for one run of a subscriber.
struct SubscribedLog {
  let view: any History
  /// The number of the log's rewritings.
  private let rewritings: Int

  init(_ view: any History) throws(SubscriptionError) {
    self.view = view
    do throws(LogError) {
      rewritings = try (view as? LogView)?.rewritings().entries.count ?? 0
    } catch {
      throw .log(error)
    }
  }

  /// Returns the position of an event.
  func position(_ seq: UInt64) throws(SubscriptionError) -> SubscriptionPosition {
    do throws(LogError) { return position(try view.head(at: seq)) } catch { throw .log(error) }
  }

  func position(_ head: LogHead) -> SubscriptionPosition {
    SubscriptionPosition(head, rewritings: rewritings)
  }

  /// Returns the position, in the log as it is now, up to which a subscriber has processed the log.
  /// - Throws: `position` if the saved position belongs to another log.
  func carry(_ saved: SubscriptionPosition) throws(SubscriptionError) -> SubscriptionPosition {
    do throws(LogError) {
      if let log = view as? LogView {
        if let now = try log.carry(saved) { return position(now) }
      } else if saved.seq <= (try view.head().seq) {
        let now = try view.head(at: saved.seq)
        if now.sum == saved.sum { return position(now) }
      }
    } catch {
      throw .log(error)
    }
    throw .position(
      "the saved position \(saved.seq) belongs to another log than \(view.name); remove it and "
        + "retry")
  }
}
