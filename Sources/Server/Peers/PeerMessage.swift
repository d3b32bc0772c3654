import Events
import UseCases

/// The writer that may perform a batch of requests.
///
/// A term belongs to one process for ever. So a batch that names it cannot be performed by another
/// process, and this process knows the random numbers of all its batches.
struct PeerReceiver: Equatable, Sendable {
  /// The address at which the process has registered.
  let address: String
  let term: Int64
}

/// A request that one server passes to another, and the answer, as bytes.
///
/// A message is a line of JSON, whose member `body` is the number of bytes that follow the line. A
/// batch is a sequence of messages; the answers are in the order of the requests.
enum PeerMessage {
  /// The headers of a client's request that the other server needs.
  private static let headers: [(name: String, header: RequestHead.Header)] = [
    ("type", .contentType), ("key", .idempotencyKey), ("upsert", .upsert), ("range", .range),
    ("prefer", .prefer), ("accept", .accept), ("host", .host),
  ]

  /// The headers of an answer that reach the client.
  private static let answerHeaders: [StaticString] = [
    "Content-Type", "Cache-Control", "Retry-After", "Idempotent-Replayed", "Content-Range",
    "Preference-Applied", "Location", "WWW-Authenticate", "Allow",
  ]

  /// Appends a client's request.
  static func append(_ request: Service.Admitted, _ body: [UInt8], to out: inout [UInt8]) {
    let head = request.head
    var members: [JSONValue.Member] = [
      .init("method", .string(head.method)), .init("target", .string(head.target)),
      .init("expires", .string("\(request.session.expires)")),
    ]
    let caller = request.session.caller
    let texts = [
      ("user", caller.user), ("service", caller.service), ("photos", caller.photoBase),
      ("correlation", caller.correlation?.text),
    ]
    for case (let name, let text?) in texts { members.append(.init(name, .string(text))) }
    for (name, header) in headers {
      if let value = head[header] { members.append(.init(name, .string(value))) }
    }
    append(members, body, to: &out)
  }

  /// Appends an answer.
  /// - Parameter position: the last event that the answer reflects.
  static func append(
    _ response: Response, _ body: [UInt8], _ position: UInt64, to out: inout [UInt8]
  ) {
    var members: [JSONValue.Member] = [
      .init("status", .int(response.status)), .init("position", .int(position)),
    ]
    for header in response.headers {
      members.append(.init("\(header.name)", .string(header.value)))
    }
    if let failure = response.failure {
      members.append(.init("failure", .string(failure.code)))
      members.append(.init("message", .string(failure.message)))
      members.append(.init("details", failure.details ?? .null))
      members.append(.init("hint", .optional(failure.hint)))
    }
    append(members, body, to: &out)
  }

  /// Appends the head of a batch of requests.
  /// - Parameters:
  ///   - position: the position of the last event that the sender has.
  ///   - receiver: the writer that may perform the batch.
  static func append(position: UInt64, for receiver: PeerReceiver, to out: inout [UInt8]) {
    append(
      [
        .init("after", .int(position)), .init("receiver", .string(receiver.address)),
        .init("term", .int(receiver.term)),
      ], [], to: &out)
  }

  /// Appends lines of the log after a position.
  static func append(lines: [UInt8], after position: UInt64, to out: inout [UInt8]) {
    append([.init("after", .int(position))], lines, to: &out)
  }

  /// Returns the position in the first message of a batch.
  static func position(_ line: JSONValue) -> UInt64? {
    line.int("after").flatMap { UInt64(exactly: $0) }
  }

  /// Returns the writer that may perform a batch, from the batch's first message. It is nil for a
  /// batch of a server of an earlier version.
  static func receiver(_ line: JSONValue) -> PeerReceiver? {
    guard let address = line.string("receiver"), let term = line.int("term") else { return nil }
    return PeerReceiver(address: address, term: Int64(term))
  }

  private static func append(
    _ members: [JSONValue.Member], _ body: [UInt8], to out: inout [UInt8]
  ) {
    let line = JSONValue.object(members + [.init("body", .int(body.count))]).text
    out += line.utf8
    out.append(0x0a)
    out += body
  }

  /// Returns the lines and bodies of a batch; nil if it is not whole.
  static func parts(of batch: [UInt8]) -> [(line: JSONValue, body: [UInt8])]? {
    var parts: [(line: JSONValue, body: [UInt8])] = []
    var at = 0
    while at < batch.count {
      guard let end = batch[at...].firstIndex(of: 0x0a),
        let line = try? JSONValue(object: Array(batch[at..<end])),
        let count = line.int("body"), count >= 0, count <= batch.count - end - 1
      else { return nil }
      at = end + 1 + count
      parts.append((line, Array(batch[(end + 1)..<at])))
    }
    return parts
  }

  /// Returns the request that a line describes; nil if it describes none.
  static func request(
    _ line: JSONValue, in service: Service
  ) -> Service.Admitted? {
    guard let method = line.string("method"), let text = line.string("target"),
      let target = Target(text), let expires = line.string("expires").flatMap({ Timestamp($0) }),
      let route = try? Route(method, target.path, service.core.useCases)
    else { return nil }
    var head = RequestHead(method, text)
    for (name, header) in headers { head[header] = line.string(name) }
    var caller = Caller(line.string("user"))
    caller.service = line.string("service")
    caller.photoBase = line.string("photos")
    caller.correlation = line.string("correlation").flatMap { CorrelationID($0) }
    return Service.Admitted(
      head, target, route, Session(caller: caller, expires: expires), begun: .now,
      bodyLimit: .max, reserved: 0, isMultipart: false)
  }

  /// Returns the answer that a line and a body describe; nil if they describe none.
  static func response(
    _ line: JSONValue, _ body: [UInt8]
  ) -> (response: Response, position: UInt64)? {
    guard let status = line.int("status"), let position = line.int("position") else { return nil }
    var response = Response(status, [], body)
    for name in answerHeaders {
      if let value = line.string("\(name)") { response.headers.append((name, value)) }
    }
    if let code = line.string("failure") {
      let details = line["details"].flatMap { $0 == .null ? nil : $0 }
      response.failure = Response.Failure(
        code: code, message: line.string("message") ?? "", details: details,
        hint: line.string("hint"))
    }
    return (response, UInt64(clamping: position))
  }
}

extension JSONValue {
  fileprivate func string(_ name: String) -> String? {
    if case .string(let text)? = self[name] { text } else { nil }
  }

  fileprivate func int(_ name: String) -> Int? {
    if case .number(let text)? = self[name] { Int(text) } else { nil }
  }
}
