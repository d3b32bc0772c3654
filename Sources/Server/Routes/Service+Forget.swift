import Events
import UseCases

// The erasure of people and items while the server runs.
extension Service {
  /// The longest time to wait for commands under way.
  private static let patience = Duration.seconds(30)

  /// Performs `/v1/forget` for a service: erases people and items from the log.
  ///
  /// The body is like `{"users":["ann"],"items":["comment/c1"],"mentions":false,"reason":"…"}`.
  /// Other requests are refused with 503 until the log is open again. Event streams and `/v1/run`
  /// requests end.
  func forget(_ body: [UInt8], _ caller: Caller) async -> Response {
    guard caller.service != nil else {
      return .failure(403, "notAuthorized", "only a service may forget people and items")
    }
    guard let forget = options.forget else {
      return .failure(503, "logFailed", "this log is not in a folder")
    }
    let request: ForgettingRequest
    do throws(InputError) {
      request = try forgettingRequest(body)
    } catch {
      return Response(.invalidInput(error))
    }
    // These checks come first. Until they succeed, the server continues to accept other requests.
    if let stranger = request.people.first(where: { core.number(of: $0) == nil }) {
      return .failure(404, "notFound", "\(ForgettingError.nobody(stranger))")
    }
    if let item = request.items.first(where: { !core.knows($0) }) {
      return .failure(404, "notFound", "\(ForgettingError.nothing(item))")
    }
    let runs: [LineRun]? = state.withLock { state in
      if state.isRewriting || state.isEnding { return nil }
      state.isRewriting = true
      return Array(state.runs.values)
    }
    guard let runs else { return .failure(503, "busy", "the log is being rewritten; try again") }
    for run in runs { run.stop() }
    live.end()
    // From here on the log needs a new core, even after an error.
    defer { state.withLock { $0.wantsRestart = true } }
    let end = ContinuousClock.now + Self.patience
    while state.withLock({ $0.commands > 0 || !$0.runs.isEmpty }) {
      if ContinuousClock.now > end {
        return .failure(503, "busy", "commands under way did not end; try again")
      }
      try? await Task.sleep(for: .milliseconds(5))
    }
    switch await forget(request) {
    case .success(let report):
      removeAccounts(of: request.people)
      return .json(report.json)
    case .failure(let error):
      switch error {
      case .log(let error): return Response(.log(error))
      case .nobody, .nothing: return .failure(404, "notFound", "\(error)")
      case .reason, .service: return .failure(400, "invalidInput", "\(error)")
      case .photos: return .failure(503, "storageFailed", "\(error)")
      }
    }
  }

  private func forgettingRequest(_ body: [UInt8]) throws(InputError) -> ForgettingRequest {
    let input = try jsonObject(body)
    guard case .object(let members) = input else {
      throw InputError("body", "an object is expected")
    }
    var request = ForgettingRequest()
    for member in members {
      switch (member.name, member.value) {
      case ("users", .array(let values)):
        for value in values {
          guard case .string(let id) = value, isValidID(id.utf8) else {
            throw InputError("users", "ids of users are expected")
          }
          request.people.append(core.spelling(ofUser: id))
        }
      case ("items", .array(let values)):
        for value in values {
          guard case .string(let text) = value, let item = ForgettingRequest.Item(text) else {
            throw InputError("items", "items such as comment/c17 are expected")
          }
          request.items.append(item)
        }
      case ("mentions", .bool(let value)): request.changesMentions = value
      case ("reason", .string(let text)): request.reason = text
      default:
        throw InputError(
          printable(member.name),
          "only users and items (lists), mentions (true or false) and reason (a text) are allowed")
      }
    }
    if request.people.isEmpty, request.items.isEmpty {
      throw InputError("users", "give users or items to forget")
    }
    return request
  }
}

extension Forgetting.Report {
  /// The report without people's names.
  fileprivate var json: JSONValue {
    .of([
      "events": .int(events), "deleted": .int(people.count(where: \.isOpen)),
      "photos": .int(people.reduce(0) { $0 + $1.photos.count }),
      "first": entry.map { .int($0.first) } ?? .null, "position": .int(head),
      "mentions": .array(
        mentions.map {
          .of(["seq": .int($0.seq), "type": .string($0.type), "member": .string($0.member)])
        }),
    ])
  }
}
