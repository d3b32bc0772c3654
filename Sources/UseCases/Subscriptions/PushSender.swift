import Events

/// What a user's device is told of.
public struct Push: Equatable, Sendable {
  /// The event that it is about; `MarkNotificationsRead` takes its id.
  public var id: EventID
  public var position: UInt64
  /// The receiver.
  public var to: String
  /// As `GetNotifications` shows it.
  public var notification: GetNotifications.Notification

  public var json: JSONValue {
    .object([
      "id": .string("\(id)"), "position": .int(Int64(clamping: position)), "to": .string(to),
      "notification": notification.json,
    ])
  }
}

/// Sends what users are told of to their devices: a port, for an app to implement with its push
/// service. The tokens of devices live behind it, never in an event.
public protocol PushSender: Sendable {
  /// Sends a push; one may come twice after a crash, and is told by its id and receiver.
  /// - Throws: why it could not be sent; it is then tried again. One that can never be sent, such
  ///   as to a device that is gone, is no error.
  func send(_ push: Push) async throws(PushError)
}

/// A sender that writes each push as a line of JSON, for scripts and tests.
///
/// ```swift
/// let lines = PushLines { print($0) }
/// ```
public struct PushLines: PushSender {
  private let write: @Sendable (String) throws -> Void

  /// - Parameter write: writes a line, whose end it adds, so that it is there when it returns.
  public init(_ write: @escaping @Sendable (String) throws -> Void) { self.write = write }

  public func send(_ push: Push) async throws(PushError) {
    do { try write(push.json.text) } catch { throw PushError("\(error)") }
  }
}

/// Why a push could not be sent.
public struct PushError: Error, Equatable, Sendable, CustomStringConvertible {
  public var description: String

  public init(_ description: String) { self.description = description }
}
