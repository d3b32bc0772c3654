import Events
import Projections
import Replaying

/// Follows a log, and sends a push for each new notification that its receiver may see.
///
/// ```swift
/// let notifier = Notifier(core, sender, from: PositionFile("push.position"))
/// try await notifier.run()  // how many pushes it sent
/// ```
/// What stands when the notifier comes to it is sent: a chup withdrawn by then is not, nor what
/// somebody hidden by then did. The position is saved after the calls for an event: so each is sent
/// at least once, and twice only where a crash or a failure came between. Without a saved position
/// it begins at the end of the log.
/// - Complexity: some microseconds an event, and saving the position for each that has pushes.
public struct Notifier: Sendable {
  private let core: Core
  private let sender: any PushSender
  private let storage: any PositionStorage
  private let fromStart: Bool

  /// - Parameters:
  ///   - storage: where the position is kept; no two notifiers share one.
  ///   - fromStart: whether all that is in the log is new where no position was saved.
  public init(
    _ core: Core, _ sender: any PushSender, from storage: any PositionStorage,
    fromStart: Bool = false
  ) {
    (self.core, self.sender) = (core, sender)
    (self.storage, self.fromStart) = (storage, fromStart)
  }

  /// Sends what is new up to the end of the log.
  /// - Returns: how many pushes were sent.
  /// - Throws: the first failure; what was sent before it is saved.
  @discardableResult
  public func run() async throws(SubscriptionError) -> Int {
    let (view, known) = try await core.snapshot()
    let start = try await storage.load()
    if let start { try view.check(start) }
    let head = try view.position(known)
    guard let start = start ?? (fromStart ? SubscriptionPosition() : nil) else {
      try await storage.save(head)
      return 0
    }
    var sent = 0
    for batch in try core.pushes(view, after: start.seq, until: head.seq) {
      for push in batch {
        do throws(PushError) {
          try await sender.send(push)
        } catch {
          throw .failed(seq: push.position, reason: "\(error)")
        }
        sent += 1
      }
      if let last = batch.last { try await storage.save(try view.position(last.position)) }
    }
    if head.seq > start.seq { try await storage.save(head) }
    return sent
  }

  /// Sends what is new, and then whatever is appended, until its task is cancelled.
  /// - Throws: as `run`.
  public func follow() async throws(SubscriptionError) {
    for await _ in core.changes() { try await run() }
  }
}

extension Core {
  /// The history, and the last position of it that the core knows, too.
  func snapshot() async throws(SubscriptionError) -> (view: any History, known: UInt64) {
    do throws(UseCaseError) {
      try await catchUp()
    } catch {
      guard case .log(let failure) = error else { throw .position("\(error)") }
      throw .log(failure)
    }
    do throws(LogError) {
      let view = try await store.history()
      return (view, min(try view.head().seq, position))
    } catch {
      throw .log(error)
    }
  }

  /// The pushes for the events of a range, those of one event together.
  fileprivate func pushes(
    _ view: any History, after start: UInt64, until end: UInt64
  ) throws(SubscriptionError) -> [[Push]] {
    var names = state.withLock { $0.model.names }
    var events: [(event: Event, seq: UInt64)] = []
    var found: [[Push]] = []
    do throws(LogError) {
      try view.forEachTypedEvent(after: start, until: end, &names, unknown: unknown) {
        event, _, moment in events.append((copy event, moment.seq))
      }
      let told = state.withLock { state in
        events.compactMap { event, seq in
          let pushes = state.model.pushes(event, seq)
          return pushes.isEmpty ? nil : pushes
        }
      }
      // The ids of those events only.
      for pushes in told {
        guard let line = try view.line(at: pushes[0].position) else { continue }
        found.append(
          pushes.map { push in
            var push = push
            push.id = line.event.id
            return push
          })
      }
    } catch {
      throw .log(error)
    }
    return found
  }
}

extension History {
  func position(_ seq: UInt64) throws(SubscriptionError) -> SubscriptionPosition {
    do throws(LogError) {
      return SubscriptionPosition(try head(at: seq))
    } catch {
      throw .log(error)
    }
  }
}

extension Model {
  /// The pushes for an event, as far as it is still told of; without its id.
  fileprivate func pushes(_ event: Event, _ seq: UInt64) -> [Push] {
    var told: [UserID] = []
    for user in concerned(by: event) where !told.contains(user) {
      if notification(at: seq, of: user) != nil { told.append(user) }
    }
    return told.compactMap { user in
      notification(at: seq, of: user).map { notification in
        Push(
          id: EventID(high: 0, low: 0), position: seq, to: names[user],
          notification: GetNotifications.Notification(notification, for: user, in: self))
      }
    }
  }

  /// Who may be told of an event: whom it names, and whose the things are that it names.
  private func concerned(by event: Event) -> [UserID] {
    event.ids.flatMap { id -> [UserID] in
      switch id.kind {
      case .user: [UserID(index: id.index)]
      case .workout: views.workout(WorkoutID(index: id.index)).map { [$0.owner] } ?? []
      case .comment:
        [
          views.comment(CommentID(index: id.index))?.user,
          views.answered(by: CommentID(index: id.index)),
        ].compactMap { $0 }
      case .group:
        views.members(of: GroupID(index: id.index)).filter {
          views.standing(GroupID(index: id.index), $0).isAdmin
        }
      case .message, .report: []
      }
    }
  }

  private func notification(at seq: UInt64, of user: UserID) -> Notifications.Notification? {
    views.notification(at: seq, of: user).flatMap { isShown($0, to: user) ? $0 : nil }
  }
}
