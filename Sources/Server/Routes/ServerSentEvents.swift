import Events
import Synchronization
import UseCases

/// The open event streams. Each stream sends a query's answer, and a new answer after each change.
///
/// One task updates all streams, at most every 50 ms. A slow client gets only the newest answer.
final class ServerSentEvents: Sendable {
  private struct Live {
    let call: Call
    let session: Session
    let outlet: Outlet
    /// The digest of the last answer sent.
    var last: UInt64
    /// The ids on which the last answer depends; nil if it must be asked after every event.
    var footprint: Footprint?
    /// The position of the newest answer.
    var position: UInt64 = 0
    /// The time of the last message.
    var sent: Timestamp
  }

  private struct State {
    var streams: [Int: Live] = [:]
    var made = 0
    /// The number of times that `follow` took the touched ids.
    var rounds = 0
    var perCaller: [String: Int] = [:]
    var isOver = false
  }

  /// The milliseconds without a message after which the server sends a comment to keep the
  /// connection alive.
  static let heartbeat: Int64 = 15_000
  private let state = Mutex(State())
  private let core: Core
  private let bounds: Bounds
  private let unread: UnreadAnswers
  private let now: @Sendable () -> Timestamp

  init(
    _ core: Core, _ bounds: Bounds, _ unread: UnreadAnswers,
    now: @escaping @Sendable () -> Timestamp
  ) {
    (self.core, self.bounds, self.unread, self.now) = (core, bounds, unread, now)
  }

  var count: Int { state.withLock { $0.streams.count } }

  /// Opens an event stream.
  /// - Parameter lastID: the id of the last message that the client received. If the answer has not
  ///   changed since then, it is not sent again.
  func open(_ call: Call, _ session: Session, lastID: String?) -> Response {
    let name = session.caller.key
    let time = now()
    let old = lastID?.split(separator: "-").last.flatMap { UInt64($0, radix: 16) }
    typealias Opened = Result<(number: Int, live: Live), Service.Refusal>
    let opened = state.withLock { state -> Opened in
      guard state.streams.count < bounds.streams, !state.isOver else {
        let message = "the server has too many event streams; try again"
        return .failure(Service.Refusal(503, "tooManyStreams", message))
      }
      let own = state.perCaller[name, default: 0]
      guard own < bounds.streamsPerUser else {
        let message = "one user may have \(bounds.streamsPerUser) event streams; close one first"
        return .failure(Service.Refusal(429, "tooManyStreams", message))
      }
      state.perCaller[name] = own + 1
      state.made += 1
      let number = state.made
      let outlet = Outlet(
        unread: unread, of: session.caller.user, gone: { [weak self] in self?.close(number, name) })
      let live = Live(
        call: call, session: session, outlet: outlet, last: old ?? 0, sent: time)
      state.streams[number] = live
      return .success((number, live))
    }
    switch opened {
    case .failure(let refusal): return refusal.response
    case .success(let (number, live)):
      ask(number, live, isFirst: true)?()
      // If there is no answer yet, this comment shows the client that it is connected.
      live.outlet.offerIfIdle(Array("retry: 2000\n: here\n\n".utf8))
      return Response(stream: live.outlet)
    }
  }

  private func close(_ number: Int, _ name: String) {
    state.withLock { state in
      state.streams[number] = nil
      let left = state.perCaller[name, default: 1] - 1
      state.perCaller[name] = left == 0 ? nil : left
    }
  }

  /// Asks for a stream's answer, and adds it to the outlet if it is new.
  /// - Returns: the closure that wakes the connection; nil if the connection need not be woken, or
  ///   if the answer comes later and wakes it.
  private func ask(
    _ number: Int, _ live: Live, isFirst: Bool = false
  ) -> (@Sendable () -> Void)? {
    let round = state.withLock { $0.rounds }
    if let (reply, position, footprint) = core.followed(live.call) {
      state.withLock { state in
        // An event of a later round may have changed the answer already.
        if state.rounds == round { state.streams[number]?.footprint = footprint }
      }
      return send(reply, position, number, live, isFirst)
    }
    core.perform(live.call) { [weak self] in self?.send($0, $1, number, live, isFirst)?() }
    return nil
  }

  private func send(
    _ reply: Reply, _ position: UInt64, _ number: Int, _ live: Live, _ isFirst: Bool
  ) -> (@Sendable () -> Void)? {
    let prefix = isFirst ? "retry: 2000\n" : ""
    switch reply.result {
    case .failure(let error):
      live.outlet.offerError(Response(error), prefix)
      state.withLock { $0.streams[number] = nil }
      return nil
    case .success(let value):
      let text = value.text
      let digest = XXH64.hash(Array(text.utf8), seed: 0) | 1
      let id = "\(position)-\(String(digest, radix: 16))"
      let data = "{\"result\":\(text),\"position\":\(position)}"
      let time = now()
      // Answers arrive from several threads. An older answer must not replace a newer one.
      return state.withLock { state in
        guard let known = state.streams[number], position >= known.position else { return nil }
        state.streams[number]?.position = position
        if digest == known.last { return nil }
        state.streams[number]?.last = digest
        state.streams[number]?.sent = time
        return live.outlet.offerLater(Array("\(prefix)id: \(id)\ndata: \(data)\n\n".utf8))
      }
    }
  }

  /// Updates the streams whose answer an event may have changed: at once after the first change,
  /// then at most every 50 ms.
  func follow() async {
    for await _ in core.changes() {
      let concerned = state.withLock { state in
        state.rounds += 1
        let touched = core.takeTouched()
        return state.streams.filter { $1.footprint?.isTouched(by: touched) ?? true }
      }
      // Many connections are woken together: after a wake, libmicrohttpd visits all connections
      // that sleep. With 5,000 streams, half of them got an answer after 230 ms when each was woken
      // alone.
      var wakes: [@Sendable () -> Void] = []
      for (number, live) in concerned {
        if let wake = ask(number, live) { wakes.append(wake) }
        if wakes.count < 500 { continue }
        for wake in wakes { wake() }
        wakes.removeAll(keepingCapacity: true)
      }
      for wake in wakes { wake() }
      try? await Task.sleep(for: .milliseconds(50))
    }
  }

  /// Sends a comment to streams that were silent for 15 s. Ends streams whose token has expired or
  /// whose client has disconnected. Called about every second.
  func beat() {
    let time = now()
    for live in state.withLock({ Array($0.streams.values) }) { live.outlet.endIfClosed() }
    let (silent, expired) = state.withLock { state -> ([Outlet], [Outlet]) in
      var (silent, expired): ([Outlet], [Outlet]) = ([], [])
      for (number, live) in state.streams {
        if live.session.expires <= time {
          expired.append(live.outlet)
          state.streams[number] = nil
        } else if time.milliseconds - live.sent.milliseconds >= Self.heartbeat {
          silent.append(live.outlet)
          state.streams[number]?.sent = time
        }
      }
      return (silent, expired)
    }
    for outlet in silent { outlet.offerIfIdle(Array(": here\n\n".utf8)) }
    let fault = TokenFault.hasExpired
    let farewell = Response.failure(401, fault.code, fault.message)
    for outlet in expired { outlet.offerError(farewell) }
  }

  func end() {
    let outlets = state.withLock { state in
      state.isOver = true
      defer { state.streams = [:] }
      return state.streams.values.map(\.outlet)
    }
    for outlet in outlets { outlet.end() }
  }
}

extension Outlet {
  /// Sends an event of the type `error`, and ends the stream.
  fileprivate func offerError(_ response: Response, _ prefix: String = "") {
    guard case .bytes(let body) = response.body else { return }
    offer(Array((prefix + "event: error\ndata: ").utf8) + body + Array("\n\n".utf8))
    end()
  }
}

extension Response {
  fileprivate init(stream: Outlet) {
    self.init(
      200,
      [
        ("Content-Type", "text/event-stream"), ("Cache-Control", "no-store"),
        ("X-Accel-Buffering", "no"),
      ])
    body = .stream(stream)
  }
}

extension Caller {
  /// A key that is unique among callers: a user's id, or a service's name with a prefix.
  var key: String { service.map { Names.servicePrefix + $0 } ?? user ?? "" }
}
