import Events
import Tables
import UseCases

extension Service {
  /// Performs a write in one commit: all of its rows are written, or none. With an
  /// `Idempotency-Key`, performs it only once.
  func perform(
    _ write: TableWrite, _ request: Admitted, _ respond: @escaping @Sendable (Response) -> Void
  ) {
    let caller = request.session.caller
    guard let user = caller.user else {
      let fault = TableFault(
        "42501", "permission denied for table \(write.table.name)",
        details: caller.service == nil ? "unauthorized" : "notAuthorized",
        hint: "Sign in as a user.")
      return respond(Response(fault, isSignedIn: caller.service != nil))
    }
    let decide: Call.Decide = { [core, followIDs] (decider, model) throws(UseCaseError) in
      // A retry may be decided again by another core, whose users have other numbers.
      let ids = decider === core ? followIDs : FollowIDs()
      let reader = RowReader(user: user, caller: caller, followIDs: ids)
      return try write.decide(for: reader, by: decider, in: &model)
    }
    do throws(InputError) {
      try perform(
        Call("", .command(decide), as: caller), write.identity(request), request,
        form: { reply, _ in write.response(to: reply) }, respond)
    } catch {
      respond(Response(.invalidInput(error)))
    }
  }
}

extension TableWrite {
  /// Returns the part of a request by which a retry is the same write.
  fileprivate func identity(_ request: Service.Admitted) -> JSONValue {
    .of([
      "table": .string(table.name), "action": .string("\(action)"),
      "query": .array(
        request.target.items.map { .array([.string($0.name), .string($0.value)]) }),
      "prefer": .optional(request.head[.prefer]), "isSingle": .bool(isSingle),
      "rows": .array(values.map { .object($0.map { .init($0.key, $0.value) }) }),
    ])
  }

  /// Returns the answer to a write whose decision was answered by `reply`: rows, a fault, or null
  /// if the client asks for no rows.
  fileprivate func response(to reply: Reply) -> Response {
    let isInsert = action == .insert
    switch reply.result {
    case .failure(let error): return Response(table: error, isSignedIn: true)
    case .success(.array(let rows)):
      let status = isInsert ? 201 : 200
      return isSingle ? .one(rows, isSignedIn: true, status: status) : .rows(rows, status)
    case .success(let answer):
      if let fault = TableFault(json: answer) { return Response(fault, isSignedIn: true) }
      return Response(isInsert ? 201 : 204)
    }
  }
}

extension TableFault {
  /// The fault as the answer of a write.
  var json: JSONValue {
    .of([
      "code": .string(code), "message": .string(message), "details": .optional(details),
      "hint": .optional(hint),
    ])
  }

  /// Reads a fault from the answer of a write; nil if the answer is none.
  fileprivate init?(json: JSONValue) {
    func text(_ name: String) -> String? {
      if case .string(let text)? = json[name] { text } else { nil }
    }
    guard let code = text("code"), let message = text("message") else { return nil }
    self.init(code, message, details: text("details"), hint: text("hint"))
  }
}
