import Events

/// A subscriber of a log that sends a push for each new notification that its receiver may see.
///
/// ```swift
/// let notifier = Notifier(core, sender, from: PositionFile("push.position"))
/// try await notifier.run()  // how many pushes it sent
/// ```
/// It sends no push for a chup that was withdrawn meanwhile, or for an act of a user who is now
/// hidden from the receiver. It saves its position in the log after sending the pushes for an
/// event, so it sends each push at least once. Duplicates occur only after a crash or a failure.
/// Without a saved position it starts at the end of the log.
/// - Complexity: some microseconds per event. It saves the position once for each event with
///   pushes.
public struct Notifier: Sendable {
  private let core: Core
  private let sender: any PushSender
  private let storage: any PositionStorage
  private let fromStart: Bool

  /// Creates a notifier; `run` or `follow` sends the pushes.
  ///
  /// `storage` keeps the notifier's position in the log; two notifiers must not share a storage. If
  /// no position was saved, the notifier starts at the end of the log, or at the first event if
  /// `fromStart` is true.
  public init(
    _ core: Core, _ sender: any PushSender, from storage: any PositionStorage,
    fromStart: Bool = false
  ) {
    (self.core, self.sender, self.storage, self.fromStart) = (core, sender, storage, fromStart)
  }

  /// Sends the pushes for the events after the saved position, up to the end of the log.
  /// - Returns: the number of pushes sent.
  /// - Throws: the first failure. The saved position is then before the event whose push failed.
  @discardableResult
  public func run() async throws(SubscriptionError) -> Int {
    let (view, known) = try await core.snapshot()
    let log = try SubscribedLog(view)
    let saved = try await storage.load()
    let head = try log.position(known)
    guard let saved = saved ?? (fromStart ? SubscriptionPosition() : nil) else {
      try await storage.save(head)
      return 0
    }
    let start = try log.carry(saved)
    var sent = 0
    for batch in try core.pushes(view, after: start.seq, until: head.seq) {
      for push in batch {
        do throws(PushError) { try await sender.send(push) } catch {
          throw .failed(seq: push.position, reason: "\(error)")
        }
        sent += 1
      }
      if let last = batch.last { try await storage.save(try log.position(last.position)) }
    }
    if head.seq > start.seq {
      try await storage.save(head)
    } else if start.seq > 0, start != saved {
      try await storage.save(start)
    }
    return sent
  }

  /// Sends the pushes for the events after the saved position and for later events, until the task
  /// is cancelled.
  /// - Throws: the errors of `run`.
  public func follow() async throws(SubscriptionError) {
    for await _ in core.changes() { try await run() }
  }
}

extension Core {
  /// Returns the log's history, and the position of its last event that the core has applied.
  package func snapshot() async throws(SubscriptionError) -> (view: any History, known: UInt64) {
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

  /// Returns the pushes for a range of events, grouped by event.
  fileprivate func pushes(
    _ view: any History, after start: UInt64, until end: UInt64
  ) throws(SubscriptionError) -> [[Push]] {
    var names = state.withLock { $0.model.names }
    var events: [(event: Event, seq: UInt64)] = []
    do throws(LogError) {
      try view.forEachTypedEvent(after: start, until: end, &names, unknown: unknown) {
        event, _, moment in events.append((copy event, moment.seq))
      }
      var found = state.withLock { state in
        events.map { event, seq in state.model.pushes(event, seq) }.filter { !$0.isEmpty }
      }
      // Reads the event ids from the log only for the events with pushes.
      for place in found.indices {
        guard let line = try view.line(at: found[place][0].position) else { continue }
        for push in found[place].indices { found[place][push].id = line.event.id }
      }
      return found
    } catch {
      throw .log(error)
    }
  }
}

extension Model {
  /// Returns the pushes for an event's notifications that their receivers may still see. The pushes
  /// do not yet have the event's id.
  fileprivate func pushes(_ event: Event, _ seq: UInt64) -> [Push] {
    var pushes: [Push] = []
    for user in concerned(by: event) where !pushes.contains(where: { $0.to == names[user] }) {
      guard let shown = views.notification(at: seq, of: user), isShown(shown, to: user) else {
        continue
      }
      pushes.append(
        Push(
          id: EventID(high: 0, low: 0), position: seq, to: names[user],
          notification: GetNotifications.Notification(shown, for: user, in: self)))
    }
    return pushes
  }

  /// Returns the users who may have a notification about an event: the users whom the event names,
  /// and the owners, authors and admins of its workouts, comments and groups.
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
}
