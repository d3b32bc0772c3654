import Events
import PersonalLogs
import UseCases

// The routes for phones that work without the server: `/v1/personal-log` and `/v1/outbox`.
extension Service {
  /// The most personal logs made at once, each for another user: they need memory.
  private static let mostPersonalLogs = 2

  /// The most commands in one outbox request.
  private static let mostCommands = 500

  /// The most refusals explained in the answer to one outbox request.
  private static let mostExplained = 10

  /// Returns the answer to a service's request, or to one with query items; nil for other requests.
  private func phoneRefusal(_ request: Admitted, _ noun: String, body: String) -> Response? {
    if request.session.caller.service != nil {
      return .failure(403, "notAuthorized", "only a user has \(noun)")
    }
    return request.target.items.first.map { item in
      let problem = "there is no such item; \(body) are in the body"
      return Response(.invalidInput(InputError(printable(item.name), problem)))
    }
  }

  /// Answers a user's personal log; for a body with hashes of parts, only what has changed.
  func personalLog(
    _ request: Admitted, _ body: [UInt8], _ respond: @escaping @Sendable (Response) -> Void
  ) {
    let caller = request.session.caller
    if let refusal = phoneRefusal(request, "a personal log", body: "hashes") {
      return respond(refusal)
    }
    let held: PersonalLog.Held
    do throws(InputError) {
      if request.head.method == "POST", body.isEmpty {
        throw InputError("body", "the hashes of parts are expected; GET answers the whole log")
      }
      held = try PersonalLog.Held(try jsonObject(body))
    } catch {
      return respond(Response(.invalidInput(error)))
    }
    let begins = personalLogs.withLock { users in
      users.count < Self.mostPersonalLogs && users.insert(caller.key).inserted
    }
    guard begins else {
      return respond(.failure(503, "busy", "the server makes other personal logs; try again"))
    }
    Task { [self] in
      var response: Response
      do throws(UseCaseError) {
        let made = await Core.longReads.result(for: [caller.key]) { [core] in
          core.personalLogApart(for: caller)?.map { Array($0.text(since: held).utf8) }
        }
        var text = try made??.get()
        if text == nil {
          text = Array(try await core.personalLog(for: caller).text(since: held).utf8)
        }
        response = Response(
          200, [("Content-Type", "application/x-ndjson"), ("Cache-Control", "no-store")],
          text ?? [])
      } catch {
        response = Response(error)
      }
      personalLogs.withLock { _ = $0.remove(caller.key) }
      respond(response)
    }
  }

  // MARK: The outbox

  /// Performs the commands in a body's lines in order, each once, and answers each with a line.
  ///
  /// A user has at most one such request under way. It counts as one explanation.
  func performOutbox(
    _ request: Admitted, _ body: [UInt8], _ respond: @escaping @Sendable (Response) -> Void
  ) {
    let caller = request.session.caller
    if let refusal = phoneRefusal(request, "an outbox", body: "commands") {
      return respond(refusal)
    }
    let commands: [OutboxCommand]
    do throws(InputError) {
      commands = try Self.commands(in: body)
    } catch {
      return respond(Response(.invalidInput(error)))
    }
    guard outboxes.withLock({ $0.insert(caller.key).inserted }) else {
      return respond(
        .failure(503, "busy", "another outbox of this user is being performed; try again"))
    }
    // If the queue is shorter than the outbox, the outbox needs the whole queue.
    let count = max(1, min(commands.count, bounds.queue))
    if let full = enqueue(count) {
      outboxes.withLock { _ = $0.remove(caller.key) }
      return respond(full)
    }
    Task { [self] in
      let response = await answer(to: commands, caller)
      dequeue(count)
      outboxes.withLock { _ = $0.remove(caller.key) }
      respond(response)
    }
  }

  private func answer(to commands: [OutboxCommand], _ caller: Caller) async -> Response {
    let explains = beginExplanation()
    defer { if explains { endExplanation() } }
    let keyed = commands.map { command in
      (
        command: command,
        key: retries.key(command.key, of: caller, command.name, command.input)
      )
    }
    let replies = await core.perform(
      keyed, as: caller, retries.journal, explaining: explains ? Self.mostExplained : 0)
    let lines = replies.map { $0.json.text + "\n" }.joined()
    return Response(
      200, [("Content-Type", "application/x-ndjson"), ("Cache-Control", "no-store")],
      Array(lines.utf8))
  }

  /// Reads the commands in a body's lines. Ignores blank lines, but counts them.
  /// - Throws: `InputError` with the number of the first invalid line.
  private static func commands(in body: [UInt8]) throws(InputError) -> [OutboxCommand] {
    var commands: [OutboxCommand] = []
    var lineOfKey: [String: Int] = [:]
    var at = 0
    var number = 0
    while at < body.count {
      let end = body[at...].firstIndex(of: 0x0a) ?? body.count
      var line = body[at..<end]
      at = end + 1
      number += 1
      if line.last == 0x0d { line.removeLast() }
      if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
      if commands.count == mostCommands {
        throw InputError("line \(number)", "at most \(mostCommands) commands are allowed")
      }
      let command = try command(in: line, number)
      if let first = lineOfKey.updateValue(number, forKey: command.key) {
        throw InputError("line \(number)", "key: line \(first) has the same key")
      }
      commands.append(command)
    }
    if commands.isEmpty { throw InputError("body", "a line of JSON for each command is expected") }
    return commands
  }

  private static func command(
    in line: ArraySlice<UInt8>, _ number: Int
  ) throws(InputError) -> OutboxCommand {
    let json: JSONValue
    do throws(LineFault) {
      json = try JSONValue(object: line)
    } catch {
      throw InputError("line \(number)", "a JSON object is expected: \(error)")
    }
    do throws(InputError) {
      return try OutboxCommand(json)
    } catch {
      throw InputError("line \(number)", "\(error)")
    }
  }
}
