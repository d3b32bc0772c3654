import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// HTTP requests with `URLSession`, whose answers arrive in parts or whole.
///
/// One delegate serves all requests, because `URLSession` on Linux has no asynchronous bytes.
final class HTTPTransport: NSObject, URLSessionDataDelegate {
  /// A whole answer.
  struct Answer: Sendable {
    var head: HTTPURLResponse
    var body: [UInt8]
  }

  /// A part of an answer.
  enum Part: Sendable {
    case head(HTTPURLResponse)
    case body(Data)
  }

  private struct Exchange {
    let task: URLSessionTask
    let parts: AsyncThrowingStream<Part, any Error>.Continuation
    let progress: (@Sendable (Double) -> Void)?
  }

  private let exchanges = Mutex<[ObjectIdentifier: Exchange]>([:])

  /// The number of requests and streams without a complete answer.
  var underWay: Int { exchanges.withLock { $0.count } }
  /// Whether `close` was called.
  var isClosed: Bool { sessions.withLock { $0 == nil } }
  /// The sessions for requests and for streams; nil after `close`. They have connections of their
  /// own, so that many streams do not take those of the requests.
  private let sessions: Mutex<(requests: URLSession, streams: URLSession)?>
  private let slots: RequestSlots

  /// Creates a transport.
  /// - Parameter most: the most requests under way at once, without streams.
  init(most: Int) {
    slots = RequestSlots(most)
    sessions = Mutex(nil)
    super.init()
    func session(_ connections: Int) -> URLSession {
      let configuration = URLSessionConfiguration.ephemeral
      configuration.httpShouldSetCookies = false
      configuration.httpCookieAcceptPolicy = .never
      configuration.urlCache = nil
      configuration.httpMaximumConnectionsPerHost = connections
      return URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    }
    sessions.withLock { $0 = (session(max(most, 1)), session(1_000)) }
  }

  /// Ends all requests and streams, and releases the connections.
  ///
  /// Each task is cancelled by itself: `invalidateAndCancel` of the Linux library reads its list of
  /// tasks without a lock, and can stop the process.
  func close() {
    let old = sessions.withLock { sessions in
      defer { sessions = nil }
      return sessions
    }
    for exchange in exchanges.withLock({ Array($0.values) }) {
      exchange.parts.finish(throwing: URLError(.cancelled))
      exchange.task.cancel()
    }
    // A session holds this delegate until then.
    old?.requests.finishTasksAndInvalidate()
    old?.streams.finishTasksAndInvalidate()
  }

  /// Sends a request and returns its whole answer.
  /// - Parameters:
  ///   - limit: the most bytes of an answer.
  ///   - progress: called with the part of the body that was sent: 0 to 1.
  /// - Throws: `URLError`; `CancellationError` if the task was cancelled, also while it waits for
  ///   other requests.
  func send(
    _ request: URLRequest, limit: Int, progress: (@Sendable (Double) -> Void)? = nil
  ) async throws -> Answer {
    try await slots.take()
    defer { slots.release() }
    var answer: Answer?
    for try await part in parts(of: request, isStream: false, progress) {
      switch part {
      case .head(let head): answer = Answer(head: head, body: [])
      case .body(let data):
        answer?.body += data
        if answer?.body.count ?? 0 > limit { throw URLError(.dataLengthExceedsMaximum) }
      }
    }
    try Task.checkCancellation()
    guard let answer else { throw URLError(.badServerResponse) }
    return answer
  }

  /// Sends a request whose answer arrives in parts. Ending the iteration cancels the request.
  func parts(
    of request: URLRequest, isStream: Bool = true, _ progress: (@Sendable (Double) -> Void)? = nil
  ) -> AsyncThrowingStream<Part, any Error> {
    let (stream, continuation) = AsyncThrowingStream<Part, any Error>.makeStream()
    sessions.withLock { sessions in
      guard let sessions else { return continuation.finish(throwing: URLError(.cancelled)) }
      let task = (isStream ? sessions.streams : sessions.requests).dataTask(with: request)
      let key = ObjectIdentifier(task)
      exchanges.withLock {
        $0[key] = Exchange(task: task, parts: continuation, progress: progress)
      }
      continuation.onTermination = { [weak self] reason in
        if case .cancelled = reason { task.cancel() }
        self?.exchanges.withLock { $0[key] = nil }
      }
      task.resume()
    }
    return stream
  }

  private func exchange(_ task: URLSessionTask) -> Exchange? {
    exchanges.withLock { $0[ObjectIdentifier(task)] }
  }

  func urlSession(
    _: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    if let head = response as? HTTPURLResponse { exchange(dataTask)?.parts.yield(.head(head)) }
    completionHandler(.allow)
  }

  func urlSession(_: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    exchange(dataTask)?.parts.yield(.body(data))
  }

  func urlSession(
    _: URLSession, task: URLSessionTask, didSendBodyData _: Int64, totalBytesSent sent: Int64,
    totalBytesExpectedToSend all: Int64
  ) {
    guard all > 0 else { return }
    exchange(task)?.progress?(min(Double(sent) / Double(all), 1))
  }

  /// A redirection is answered like an error: a token must not go to another address.
  func urlSession(
    _: URLSession, task _: URLSessionTask, willPerformHTTPRedirection _: HTTPURLResponse,
    newRequest _: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  func urlSession(_: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    // On Apple systems an error can be of another domain, for example after a suspension.
    exchange(task)?.parts.finish(
      throwing: error.map { $0 as? URLError ?? URLError(.networkConnectionLost) })
  }
}

/// A bound on requests under way. Those beyond it wait in order.
final class RequestSlots: Sendable {
  private struct State {
    var free: Int
    var made = 0
    var waiting: [(number: Int, continuation: CheckedContinuation<Bool, Never>)] = []
    /// The waits that were cancelled before they began.
    var cancelled: Set<Int> = []
  }

  private let state: Mutex<State>

  init(_ count: Int) { state = Mutex(State(free: max(count, 1))) }

  /// Takes a slot, perhaps after waiting.
  /// - Throws: `CancellationError`; then no slot is taken.
  func take() async throws {
    let number = state.withLock { state in
      state.made += 1
      return state.made
    }
    let isTaken = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
        let answer: Bool? = state.withLock { state in
          if state.cancelled.remove(number) != nil { return false }
          if state.free > 0 {
            state.free -= 1
            return true
          }
          state.waiting.append((number, continuation))
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      let waiting = state.withLock { state -> CheckedContinuation<Bool, Never>? in
        guard let at = state.waiting.firstIndex(where: { $0.number == number }) else {
          state.cancelled.insert(number)
          return nil
        }
        return state.waiting.remove(at: at).continuation
      }
      waiting?.resume(returning: false)
    }
    // A cancellation after the slot was taken is left to the request.
    state.withLock { _ = $0.cancelled.remove(number) }
    guard isTaken else { throw CancellationError() }
  }

  /// Returns a slot, to the request that has waited longest.
  func release() {
    let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      if state.waiting.isEmpty {
        state.free += 1
        return nil
      }
      return state.waiting.removeFirst().continuation
    }
    next?.resume(returning: true)
  }
}
