import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A call to send: it may be sent several times.
struct RemoteCall: Sendable {
  /// The path below the server's address.
  var path: String
  var body: Data
  /// The type of the body.
  var type: String
  /// The `Idempotency-Key`, the same for each try.
  var key: String?
  /// Whether it may be sent again after a failure.
  var isRepeatable = true
  var progress: (@Sendable (Double) -> Void)?
}

extension RemoteCore {
  /// The result of one try.
  private enum Try {
    case answered([UInt8])
    /// The server does not accept the token.
    case rejected
    /// The server is busy, or the connection was lost.
    case failed(UseCaseError, retryAfter: Duration?)
  }

  /// Sends a call until it is answered, and returns the body of the answer.
  func answer(
    _ call: RemoteCall, as caller: ExpectedCaller
  ) async throws(UseCaseError) -> [UInt8] {
    do {
      return try await withDeadline { try await self.tries(call, caller) }
    } catch {
      throw UseCaseError(client: error)
    }
  }

  private func tries(_ call: RemoteCall, _ caller: ExpectedCaller) async throws -> [UInt8] {
    var token = try await session.token()
    var refreshes = 0
    var pauses = Pauses(options, until: .now + options.deadline)
    while true {
      try check(token, names: caller)
      switch try await send(call, token) {
      case .answered(let body): return body
      case .rejected:
        // The server rejects fresh tokens too, such as those of another issuer.
        guard refreshes < 2 else { throw UseCaseError.refused(.unauthorized) }
        refreshes += 1
        token = try await session.refresh(after: token)
      case .failed(let error, let retryAfter):
        guard call.isRepeatable, try await pauses.pause(atLeast: retryAfter) else { throw error }
      }
    }
  }

  private func send(_ call: RemoteCall, _ token: String) async throws -> Try {
    var request = URLRequest(url: url.appending(path: call.path))
    request.httpMethod = "POST"
    request.httpBody = call.body
    request.setValue(call.type, forHTTPHeaderField: "Content-Type")
    request.setValue("application/json", forHTTPHeaderField: "Accept")
    request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
    if let key = call.key { request.setValue(key, forHTTPHeaderField: "Idempotency-Key") }
    // The Linux library drops fractions of a second, and ends a request with 0 at once.
    request.timeoutInterval = max(1, options.silence.seconds.rounded(.up))
    let answer: HTTPTransport.Answer
    do {
      answer = try await transport.send(
        request, limit: options.answerBytes, progress: call.progress)
    } catch let error as URLError {
      try Task.checkCancellation()
      if transport.isClosed { throw UseCaseError.clientClosed }
      if error.isPermanent { throw UseCaseError.unreachable(reason: error.reason) }
      if error.code == .dataLengthExceedsMaximum {
        throw UseCaseError.incompatible(
          reason: "the answer has more than \(options.answerBytes) bytes")
      }
      return .failed(.unreachable(reason: error.reason), retryAfter: nil)
    }
    return try result(of: answer)
  }

  private func result(of answer: HTTPTransport.Answer) throws -> Try {
    if answer.head.statusCode == 200 { return .answered(answer.body) }
    if answer.head.rejectsToken { return .rejected }
    let error = UseCaseError(status: answer.head.statusCode, body: answer.body)
    guard answer.head.isBusy else { throw error }
    return .failed(error, retryAfter: answer.head.retryAfter)
  }

  /// Runs a body, and cancels it at the deadline.
  private func withDeadline<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    // A task group would wait for a body that does not react to its cancellation.
    let (stream, result) = AsyncThrowingStream<Value, any Error>.makeStream()
    let work = Task {
      do {
        result.yield(try await body())
        result.finish()
      } catch {
        result.finish(throwing: error)
      }
    }
    let timer = Task { [deadline = options.deadline] in
      try await Task.sleep(for: deadline)
      result.finish(
        throwing: UseCaseError.unreachable(reason: "no answer within \(deadline.seconds) s"))
    }
    defer {
      work.cancel()
      timer.cancel()
    }
    for try await value in stream { return value }
    throw CancellationError()
  }
}

/// The pauses between the tries of a call: random parts of a bound that doubles.
struct Pauses {
  private var left: Int
  private var bound: Duration
  private let longest: Duration
  private let end: ContinuousClock.Instant?

  /// Creates the pauses of a call, or of a stream of answers, which is tried without end.
  /// - Parameter end: the deadline of the call; nil for a stream of answers.
  init(_ options: RemoteCore.Options, until end: ContinuousClock.Instant? = nil) {
    left = end == nil ? .max : options.tries - 1
    (bound, longest, self.end) = (options.firstPause, options.longestPause, end)
  }

  /// Waits before the next try.
  /// - Parameter least: the server's `Retry-After`. A random time is added, so that waiting clients
  ///   do not all return at the same moment.
  /// - Returns: whether there is another try before the deadline.
  mutating func pause(atLeast least: Duration? = nil) async throws -> Bool {
    let pause = (least ?? .zero) + bound * Double.random(in: 0...1)
    guard left > 0, end.map({ .now + pause < $0 }) ?? true else { return false }
    left -= 1
    try await Task.sleep(for: pause)
    bound = min(bound * 2, longest)
    return true
  }
}

extension Duration {
  var seconds: Double { self / .seconds(1) }
}

extension HTTPURLResponse {
  /// Whether the server does not accept the token. A use case that needs a user also answers 401,
  /// but without this header.
  var rejectsToken: Bool {
    statusCode == 401 && value(forHTTPHeaderField: "WWW-Authenticate") != nil
  }

  /// Whether the server, or a proxy in front of it, may answer later.
  var isBusy: Bool { [429, 502, 503, 504].contains(statusCode) }

  /// The pause that the server asks for: `Retry-After` in seconds, at most ten minutes.
  var retryAfter: Duration? {
    guard let text = value(forHTTPHeaderField: "Retry-After"), let seconds = Int(text) else {
      return nil
    }
    return .seconds(min(max(seconds, 0), 600))
  }
}

extension URLError {
  /// Whether another try would fail in the same way.
  var isPermanent: Bool {
    switch code {
    case .badURL, .unsupportedURL, .secureConnectionFailed, .serverCertificateUntrusted,
      .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot,
      .serverCertificateNotYetValid:
      true
    default: false
    }
  }

  /// The reason for people.
  var reason: String {
    switch code {
    case .timedOut: "the server did not answer in time"
    case .cannotFindHost, .dnsLookupFailed: "the server's name is not known"
    case .cannotConnectToHost: "the server accepts no connection"
    case .notConnectedToInternet: "the device is offline"
    case .networkConnectionLost: "the connection was lost"
    case .cancelled: "the client was closed"
    case .badURL, .unsupportedURL: "the server's address is not valid"
    case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
      .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid:
      "the server's certificate is not accepted"
    default: "the connection failed (\(code.rawValue))"
    }
  }
}

extension UseCaseError {
  static let clientClosed = Self.unreachable(reason: "the client was closed")

  /// Returns an error that a call failed with.
  init(client error: any Error) {
    switch error {
    case let error as UseCaseError: self = error
    case let error as URLError: self = .unreachable(reason: error.reason)
    case is CancellationError: self = .cancelled
    default: self = .unreachable(reason: "the session's token cannot be read: \(error)")
    }
  }

  /// Reads the error of an answer.
  init(status: Int, body: [UInt8]) {
    guard let object = try? JSONValue(object: body), case .string(let code)? = object["error"],
      case .string(let message)? = object["message"]
    else {
      self = .serverError(status: status, message: "the answer is not from an eventlog server")
      return
    }
    self =
      UseCaseError(code: code, message: message, details: object["details"])
      ?? .serverError(status: status, message: "\(code): \(message)")
  }
}

extension Request {
  /// `{"do":…,"as":…,"service":…,"with":{…},"time":…}`, without what is not set.
  var json: JSONValue {
    var members = [JSONValue.Member("do", .string(name))]
    if let user { members.append(.init("as", .string(user))) }
    if isService { members.append(.init("service", .bool(true))) }
    members.append(.init("with", input))
    if let time { members.append(.init("time", .string("\(time)"))) }
    return .object(members)
  }
}

extension Reply {
  /// Reads a line of an answer to `/v1/run`.
  init(line: [UInt8]) throws(UseCaseError) {
    guard let object = try? JSONValue(object: line) else {
      throw .incompatible(reason: "a line of the answer is not JSON")
    }
    guard object["ok"] == .bool(true), let result = object["result"] else {
      self.init(.failure(UseCaseError(status: 200, body: line)))
      return
    }
    var seqs: Range<UInt64> = 0..<0
    if case .array(let list)? = object["seq"] {
      let numbers = list.compactMap(\.uint64)
      if let first = numbers.first, let last = numbers.last, first <= last, last < .max {
        seqs = first..<(last + 1)
      }
    }
    self.init(.success(result), seqs: seqs)
  }
}
