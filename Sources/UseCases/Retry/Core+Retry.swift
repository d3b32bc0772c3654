import EventLog
import Events

extension Core {
  /// Whether the store itself records the key of each command.
  package var notesKeys: Bool { store.notesKeys }

  /// Returns the first use of a key by this caller; nil if no command with the key appended events.
  /// - Complexity: a search in the log's index of ids. If the search finds an event, also reads its
  ///   line.
  public func firstTry(
    _ key: IdempotencyKey, by caller: Caller
  ) async throws(LogError) -> KeyUse? {
    guard let event = try await store.event(idTail: key.tail), event.actor == spelled(caller).actor
    else { return nil }
    return try await store.uses(of: [key.tail])[0] ?? KeyUse(event)
  }

  /// Returns the first answer of a command that was performed before.
  ///
  /// If the answer was recorded with the key, the core returns it. Otherwise it decides the command
  /// again on the state before the first try, and compares the decided events with those in the
  /// log. `call` must have the key of `first`.
  ///
  /// If the events differ, because the rules or the program have changed, the reply contains null
  /// and the positions of the events in the log.
  /// - Returns: the reply, and the position of the last event that it reflects. Nil if the key was
  ///   used with another command or input.
  /// - Throws: read errors of the log; `.closed` if the core's log is not in a folder.
  /// - Complexity: for a recorded answer, reads a line of the log; for another, that of opening a
  ///   core as of the position of `first`.
  public func replied(
    to call: Call, at first: KeyUse
  ) async throws(LogError) -> (reply: Reply, position: UInt64)? {
    guard let key = call.key else { return nil }
    guard let log = store as? FileLog else {
      throw .closed(reason: "the log is not in a folder, so it cannot repeat an earlier answer")
    }
    // A clone may have the first try's events before queries show them.
    try? await catchUp()
    let view = log.view()
    let event = try view.line(at: first.position + 1)?.event
    let old = event?.id.low == key.tail ? event : nil
    if let old, !key.mayHaveMade(old) { return nil }
    let seqs = old.map { $0.seq..<($0.seq + UInt64($0.batch?.count ?? 1)) }
    if call.isCommand || old == nil, let result = first.answer.flatMap({ Result(recorded: $0) }) {
      return (Reply(result, seqs: seqs ?? 0..<0), seqs.map { $0.upperBound - 1 } ?? first.position)
    }
    var call = call
    // The first try recorded the log's last time if that was later than the clock's.
    let last = first.position == 0 ? first.time : try view.time(of: first.position)
    call.caller.time = max(first.time, last)
    guard call.isCommand else { return old.flatMap(call.photoReply) }
    // A decision can depend on whether earlier commands of its batch were already durable. So this
    // tries both cases.
    for isAhead in [false, true] {
      let past = try await repeating(after: first.position, view)
      call.isAhead = isAhead
      let outcome = await past.outcome(of: call, nil)
      let (reply, position) = (outcome.reply, outcome.position)
      guard let old else {
        if case .failure(.log(.idTaken)) = reply.result { return nil }
        return (reply, position)
      }
      if case .success = reply.result, reply.seqs.lowerBound == old.seq { return (reply, position) }
    }
    return seqs.map { (Reply(.success(.null), seqs: $0), $0.upperBound - 1) }
  }
}

extension Call {
  /// Returns the first answer of a photo use case: the photo's address, which `event` contains.
  fileprivate func photoReply(_ event: RecordedEvent) -> (reply: Reply, position: UInt64)? {
    guard let data = try? JSONValue(object: event.data) else { return nil }
    let isSet = EventType(wireName: event.type) == .profilePhotoSet
    guard isSet == (name == UploadProfilePhoto.about.name) else { return nil }
    if name == AttachWorkoutPhoto.about.name {
      let path = data["image"] ?? .null
      return (Reply(.success(path), seqs: event.seq..<(event.seq + 1)), event.seq)
    }
    var url = isSet ? data["url"] ?? .null : .null
    if case .string(let text) = url {
      url = .string(Caller.address(ofPhoto: text, base: caller.photoBase))
    }
    return (Reply(.success(url), seqs: event.seq..<(event.seq + 1)), event.seq)
  }
}
