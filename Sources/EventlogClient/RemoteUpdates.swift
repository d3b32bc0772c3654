import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A query's answers from a server by Server-Sent Events: the current answer, then each new one.
public struct RemoteUpdates<Output: FieldValue>: AsyncSequence {
  public typealias Element = Output
  public typealias Failure = UseCaseError

  let stream: ReconnectingStream<Output>

  public struct AsyncIterator: AsyncIteratorProtocol {
    var answers: AsyncThrowingStream<Output, any Error>.AsyncIterator

    public mutating func next() async throws(UseCaseError) -> Output? {
      try await next(isolation: nil)
    }

    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(UseCaseError) -> Output? {
      do {
        return try await answers.next(isolation: actor)
      } catch {
        throw UseCaseError(client: error)
      }
    }
  }

  public func makeAsyncIterator() -> AsyncIterator {
    let (answers, continuation) = AsyncThrowingStream<Output, any Error>.makeStream(
      bufferingPolicy: .bufferingNewest(1))
    let task = Task { [stream] in
      do {
        try await stream.follow { continuation.yield($0) }
      } catch {
        continuation.finish(throwing: error)
      }
    }
    continuation.onTermination = { _ in task.cancel() }
    return AsyncIterator(answers: answers.makeAsyncIterator())
  }
}

/// The answers to a query. When a connection ends, it opens another one.
struct ReconnectingStream<Output: FieldValue>: Sendable {
  let remote: RemoteCore
  let name: String
  let input: JSONValue
  let caller: Caller

  /// Calls `yield` with each answer until an error ends the sequence.
  func follow(_ yield: @escaping @Sendable (Output) -> Void) async throws -> Never {
    var lastID: String?
    var last: Output?
    // Of fresh tokens, without an answer between them.
    var rejections = 0
    var rejected: String?
    var pauses = Pauses(remote.options)
    while true {
      var retryAfter: Duration?
      do {
        let token =
          if let rejected {
            try await remote.session.refresh(after: rejected)
          } else {
            try await remote.session.token()
          }
        rejected = nil
        try remote.check(token, names: .caller(caller))
        do {
          try await connect(token, lastID) { () -> Void in
            rejections = 0
          } received: { event in
            if event.type == "error" { throw StreamEnd.event(event.data) }
            let answer = try Output(answer: Array(event.data.utf8))
            pauses = Pauses(remote.options)
            lastID = event.id ?? lastID
            // After a reconnection the server may send the last answer again.
            if answer != last { yield(answer) }
            last = answer
          }
        } catch StreamEnd.rejected {
          guard rejections < 2 else { throw UseCaseError.refused(.unauthorized) }
          rejections += 1
          rejected = token
          continue
        }
      } catch StreamEnd.event(let data) {
        let code = (try? JSONValue(data))?["error"]
        // The next connection finds out that the token expired, or that the server is back.
        guard case .string(let code)? = code, passingCodes.contains(code) else {
          throw UseCaseError(status: 200, body: Array(data.utf8))
        }
      } catch StreamEnd.busy(let pause) {
        retryAfter = pause
      } catch {
        // Only if the server or the identity provider cannot be reached, it is tried again.
        guard error.isUnreachable, (error as? URLError)?.isPermanent != true else { throw error }
        try Task.checkCancellation()
        if remote.transport.isClosed { throw UseCaseError.clientClosed }
      }
      _ = try await pauses.pause(atLeast: retryAfter)
    }
  }

  private enum StreamEnd: Error {
    case rejected
    case busy(Duration?)
    /// The server sent an event of the type `error` with this data.
    case event(String)
  }

  /// Follows one connection until it ends. Calls `accepted` when the server accepts the request,
  /// and `received` with each event.
  private func connect(
    _ token: String, _ lastID: String?, accepted: () -> Void,
    received: (ServerSentEvent) throws -> Void
  ) async throws {
    var request = URLRequest(url: try address)
    request.setValue("text/event-stream", forHTTPHeaderField: "Accept")
    request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
    if let lastID { request.setValue(lastID, forHTTPHeaderField: "Last-Event-ID") }
    // The server sends a comment every 15 s.
    request.timeoutInterval = 45
    var refusal: (head: HTTPURLResponse, body: [UInt8])?
    var parser = ServerSentEvent.Parser()
    for try await part in remote.transport.parts(of: request) {
      switch part {
      case .head(let head) where head.rejectsToken: throw StreamEnd.rejected
      case .head(let head) where head.isBusy: throw StreamEnd.busy(head.retryAfter)
      case .head(let head): if head.statusCode == 200 { accepted() } else { refusal = (head, []) }
      case .body(let data):
        // After a sign-out, nothing of the last person is delivered. The server sends at least a
        // comment every 15 s.
        try remote.check(try await remote.session.token(), names: .caller(caller))
        if let known = refusal {
          if known.body.count < 1 << 20 { refusal?.body += data }
        } else {
          for event in try parser.events(in: data) { try received(event) }
        }
      }
    }
    try Task.checkCancellation()
    if let refusal { throw UseCaseError(status: refusal.head.statusCode, body: refusal.body) }
  }

  /// The address of the event stream. The query has the input's texts as they are, and other
  /// values as JSON.
  private var address: URL {
    get throws {
      var text = remote.url.appending(path: "v1/updates/\(name)").absoluteString
      guard case .object(let members) = input else { throw URLError(.badURL) }
      for (index, member) in members.enumerated() {
        var value = member.value.text
        if case .string(let text) = member.value { value = text }
        let escaped = value.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
        text += "\(index == 0 ? "?" : "&")\(member.name)=\(escaped)"
      }
      guard let url = URL(string: text) else { throw URLError(.badURL) }
      return url
    }
  }
}

/// The codes of errors after which a stream is opened again.
private let passingCodes: Set<String> = [
  "tokenExpired", "busy", "ending", "rewriting", "logFailed", "storageFailed",
]

/// The characters that need no escape in an address (RFC 3986, 2.3).
private let unreserved = CharacterSet(
  charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

/// An event of a stream (WHATWG HTML, 9.2).
struct ServerSentEvent {
  var type = "message"
  var data = ""
  var id: String?

  /// A parser for a stream that arrives in parts.
  struct Parser {
    /// The most bytes of a line.
    private static let longest = 64 << 20
    private var line: [UInt8] = []
    private var event = ServerSentEvent()
    private var hasData = false

    /// Returns the events that end in these bytes.
    /// - Throws: `UseCaseError.incompatible` for a line that is too long.
    mutating func events(in bytes: some Sequence<UInt8>) throws(UseCaseError) -> [ServerSentEvent] {
      var events: [ServerSentEvent] = []
      for byte in bytes {
        if byte != UInt8(ascii: "\n") {
          line.append(byte)
          if line.count > Self.longest { throw .incompatible(reason: "an answer is too long") }
          continue
        }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        if line.isEmpty {
          if hasData { events.append(event) }
          (event, hasData) = (ServerSentEvent(), false)
        } else {
          field(String(decoding: line, as: UTF8.self))
        }
        line.removeAll(keepingCapacity: true)
      }
      return events
    }

    private mutating func field(_ line: String) {
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      var value = parts.count > 1 ? parts[1] : ""
      if value.first == " " { value.removeFirst() }
      switch parts[0] {
      case "event": event.type = String(value)
      case "id": event.id = String(value)
      case "data":
        if hasData { event.data += "\n" }
        event.data += value
        hasData = true
      default: break  // A comment, or the pause before a reconnection: the client has its own.
      }
    }
  }
}
