import Events

/// A notification for a user's device.
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

/// Sends pushes to users' devices: a port, for an app to implement with its push service. It keeps
/// the tokens of devices, which are in no event.
public protocol PushSender: Sendable {
  /// Sends a push. Duplicates are possible after a crash; identify them by id and receiver.
  /// - Throws: why it could not be sent; it is then tried again. A push that can never be sent,
  ///   such as to a device that is gone, is not an error.
  func send(_ push: Push) async throws(PushError)
}

/// A sender that writes each push as a line of JSON, for scripts and tests.
///
/// ```swift
/// let lines = PushLines { print($0) }
/// ```
public struct PushLines: PushSender {
  private let write: @Sendable (String) throws -> Void

  /// - Parameter write: writes a line and its end, and returns when both are written.
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
