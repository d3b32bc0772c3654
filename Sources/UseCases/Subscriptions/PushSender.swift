import Events

/// A notification to send to a user's devices.
public struct Push: Equatable, Sendable {
  /// The id of the event that caused the notification. It is a valid `upTo` of
  /// `MarkNotificationsRead`.
  public var id: EventID
  /// The position of that event in the log.
  public var position: UInt64
  /// The id of the user who receives the push.
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
/// The implementation stores the devices' tokens, because no event contains them.
public protocol PushSender: Sendable {
  /// Sends a push. After a crash the notifier may send a push twice. Recognize a duplicate by its
  /// id and receiver.
  /// - Throws: the reason why the push could not be sent. The notifier's next run then retries. Do
  ///   not throw for a push that can never be sent, for example because the device is gone.
  func send(_ push: Push) async throws(PushError)
}

/// A sender that writes each push as a line of JSON, for scripts and tests.
///
/// ```swift
/// let lines = PushLines { print($0) }
/// ```
public struct PushLines: PushSender {
  private let write: @Sendable (String) throws -> Void

  /// Creates a sender that calls `write` for each line.
  /// - Parameter write: writes a line and a line end, and returns when both are written.
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
