import Events

/// A notification for a user's device.
public struct Push: Equatable, Sendable {
  /// The id of the event that caused it; `MarkNotificationsRead` accepts this id.
  public var id: EventID
  /// The event's position.
  public var position: UInt64
  /// The receiver's id.
  public var to: String
  /// The notification as `GetNotifications` shows it.
  public var notification: GetNotifications.Notification

  /// The push as JSON.
  public var json: JSONValue {
    .object([
      "id": .string("\(id)"), "position": .int(Int64(clamping: position)), "to": .string(to),
      "notification": notification.json,
    ])
  }
}

/// A port that sends pushes to users' devices, for an app to implement with its push service.
///
/// The implementation keeps the tokens of devices, which are in no event.
public protocol PushSender: Sendable {
  /// Sends a push. Duplicates are possible after a crash; identify them by id and receiver.
  /// - Throws: the reason why it could not be sent; the notifier then retries. A push that can
  ///   never be sent, for example because the device is gone, is not an error.
  func send(_ push: Push) async throws(PushError)
}

/// A sender that writes each push as a line of JSON, for scripts and tests.
///
/// ```swift
/// let lines = PushLines { print($0) }
/// ```
public struct PushLines: PushSender {
  private let write: @Sendable (String) throws -> Void

  /// Creates a sender.
  /// - Parameter write: writes a line and its end, and returns when both are written.
  public init(_ write: @escaping @Sendable (String) throws -> Void) { self.write = write }

  public func send(_ push: Push) async throws(PushError) {
    do { try write(push.json.text) } catch { throw PushError("\(error)") }
  }
}

/// The reason why a push could not be sent.
public struct PushError: Error, Equatable, Sendable, CustomStringConvertible {
  public var description: String

  /// Creates an error with a message.
  public init(_ description: String) { self.description = description }
}
