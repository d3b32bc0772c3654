import Aggregates
import Events
import UseCases

extension Service {
  func use(
    _ entry: Registry.Entry, _ asks: Bool, _ request: Admitted, _ body: [UInt8],
    _ respond: @escaping @Sendable (Response) -> Void
  ) {
    let caller = request.session.caller
    do throws(InputError) {
      let revision = request.target.items.first { $0.name == Self.asOf }?.value
      let isExplained = entry.writes && request.target.items.contains { $0.name == Self.explain }
      let items = request.target.items.filter {
        $0.name != Self.asOf && !(isExplained && $0.name == Self.explain)
      }
      if !asks, let extra = items.first {
        throw InputError(printable(extra.name), "the input is in the body, not in the address")
      }
      let input = asks ? try Self.input(of: entry, items) : try jsonObject(body)
      if let revision { return usePast(entry, input, caller, at: revision, respond) }
      if isExplained { return explain(entry, input, caller, respond) }
      let call = try Call(entry, input, as: caller)
      if !entry.writes, let (reply, position) = core.answer(call) {
        var response = Response(reply, position: position)
        if asks, response.status == 200, case .bytes(let body) = response.body {
          let tag = tag(of: body, at: position, for: caller)
          if request.head[.ifNoneMatch]?.contains(tag) == true {
            return respond(Response(304, caching(tag)))
          }
          response.headers += caching(tag)
        }
        return respond(response)
      }
      try perform(call, input, request, respond)
    } catch {
      respond(Response(.invalidInput(error)))
    }
  }

  /// The name of the query item for a past revision. It has a hyphen, so no field has this name.
  static let asOf = "as-of"

  /// The name of the query item that asks for an explanation instead of performing a command.
  static let explain = "explain"

  /// The most explanations at once. Each opens the index of the log, and may use a thread for a
  /// tenth of a second.
  private static let mostExplanations = 2

  /// Answers what a command would append, or why it would be refused.
  private func explain(
    _ entry: Registry.Entry, _ input: JSONValue, _ caller: Caller,
    _ respond: @escaping @Sendable (Response) -> Void
  ) {
    guard beginExplanation() else {
      return respond(.failure(503, "busy", "the server explains other commands; try again"))
    }
    var request = Request(entry.about.name, as: caller.service ?? caller.user, with: input)
    request.isService = caller.service != nil
    Task { [self, request] in
      let position = core.position
      let result: Result<JSONValue, UseCaseError>
      do throws(UseCaseError) {
        result = .success(try await core.explain(request).json)
      } catch {
        result = .failure(error)
      }
      endExplanation()
      respond(Response(Reply(result), position: position))
    }
  }

  /// Counts an explanation as under way. Returns false if too many explanations are under way.
  func beginExplanation() -> Bool {
    explanations.withLock { count in
      if count >= Self.mostExplanations { return false }
      count += 1
      return true
    }
  }

  func endExplanation() { explanations.withLock { $0 -= 1 } }

  private func usePast(
    _ entry: Registry.Entry, _ input: JSONValue, _ caller: Caller, at revision: String,
    _ respond: @escaping @Sendable (Response) -> Void
  ) {
    guard let service = caller.service else {
      return respond(.failure(403, "notAuthorized", "only a service may read past revisions"))
    }
    if entry.writes {
      return respond(.failure(400, "invalidInput", "as-of: commands cannot change the past"))
    }
    var request = Request(entry.about.name, as: service, with: input)
    request.isService = true
    guard let log else { return respond(.failure(503, "logFailed", "this log is not in a folder")) }
    Task { [request] in respond(await pasts.answer(request, at: revision, log.view(), core)) }
  }

  func perform(
    _ name: String, image: [UInt8], _ request: Admitted,
    _ respond: @escaping @Sendable (Response) -> Void
  ) {
    guard let entry = core.useCases.find(name) else { return }
    let digest = String(XXH64.hash(image, seed: 0), radix: 16)
    do throws(InputError) {
      let call = try Call(
        entry, .of(["image": .string("body")]), as: request.session.caller, image: { _ in image })
      try perform(call, .of(["image": .string("\(image.count) \(digest)")]), request, respond)
    } catch {
      respond(Response(.invalidInput(error)))
    }
  }

  /// Performs a call. A call that writes is performed only once for each `Idempotency-Key`.
  /// - Parameters:
  ///   - input: the value by which a retry is recognised as the same call.
  ///   - form: returns the answer.
  func perform(
    _ call: Call, _ input: JSONValue, _ request: Admitted,
    form: @escaping Retries.Form = { Response($0, position: $1) },
    _ respond: @escaping @Sendable (Response) -> Void
  ) throws(InputError) {
    let key = request.head[.idempotencyKey]
    if let key { try IdempotencyKey.check(key, "Idempotency-Key") }
    if let full = enqueue() { return respond(full) }
    let done: @Sendable (Response) -> Void = { [self] response in
      dequeue()
      respond(response)
    }
    if let key, call.writes {
      retries.perform(call, input, key: key, photos: photos, form: form, done)
    } else {
      core.perform(call, photos: photos) { done(form($0, $1)) }
    }
  }

  // MARK: Input

  /// Returns the input that a request's query items contain. Texts are used as they are; other
  /// values are parsed as JSON.
  private static func input(
    of entry: Registry.Entry, _ items: [Target.Item]
  ) throws(InputError) -> JSONValue {
    var members: [JSONValue.Member] = []
    for item in items {
      if members.contains(where: { $0.name == item.name }) {
        throw InputError(printable(item.name), "given twice")
      }
      let field = entry.fields.first { $0.name == item.name }
      if let field, !field.kind.isText {
        guard let value = try? JSONValue(item.value), value != .null else {
          throw InputError(field.name, "\(field.kind) is expected, not this text")
        }
        members.append(.init(item.name, value))
      } else {
        members.append(.init(field?.name ?? printable(item.name), .string(item.value)))
      }
    }
    return .object(members)
  }

  /// Parses a body as a JSON object. Returns an empty object for an empty body.
  func jsonObject(_ body: [UInt8]) throws(InputError) -> JSONValue {
    if body.isEmpty { return .object([]) }
    do throws(LineFault) {
      return try JSONValue(object: body)
    } catch {
      throw InputError("body", "a JSON object is expected: \(error)")
    }
  }

  // MARK: Caching

  /// Returns an `ETag`: a digest of the caller and the result. The `ETag` is weak (RFC 9110,
  /// 8.8.1), because it ignores the answer's position.
  private func tag(of body: [UInt8], at position: UInt64, for caller: Caller) -> String {
    let who = XXH64.hash(Array(caller.key.utf8), seed: 1)
    let result = Array(body.dropLast("\(position)}".utf8.count))
    return "W/\"\(String(XXH64.hash(result, seed: who), radix: 16))\""
  }

  private func caching(_ tag: String) -> [(name: StaticString, value: String)] {
    let who = options.trustsUserHeader ? "X-User" : "Authorization"
    return [("ETag", tag), ("Cache-Control", "private, no-cache"), ("Vary", who)]
  }

  // MARK: Updates

  func updates(_ entry: Registry.Entry, _ request: Admitted) -> Response {
    do throws(InputError) {
      let input = try Self.input(of: entry, request.target.items)
      let call = try Call(entry, input, as: request.session.caller)
      return live.open(call, request.session, lastID: request.head[.lastEventID])
    } catch {
      return Response(.invalidInput(error))
    }
  }
}
