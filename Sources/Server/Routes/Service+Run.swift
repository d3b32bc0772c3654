import Events
import Synchronization
import UseCases

// Many use cases in one request, and lines of the log.
extension Service {
  /// Performs lines as `eventlog run` does, some at a time, as fast as the client takes the
  /// answers. If the client goes, what it was not answered may or may not have been performed.
  func runLines(_ body: [UInt8], _ caller: Caller) -> Response {
    let run = LineRun(self, body, caller)
    if let full = began(run) { return full }
    let outlet = Outlet(
      drained: { run.goOn() },
      gone: { [self] in
        run.leave()
        ended(run)
      })
    run.begin(outlet)
    var response = Response(
      200, [("Content-Type", "application/x-ndjson"), ("Cache-Control", "no-store")])
    response.body = .stream(outlet)
    return response
  }

  /// The log's lines after a position, for services: `after`, and `limit`, 1,000 if not given and
  /// at most 10,000.
  func sendLines(_ request: Admitted) -> Response {
    guard request.session.caller.service != nil else {
      return .failure(403, "notAuthorized", "the log's lines are for services")
    }
    guard let log else { return .failure(503, "logFailed", "this log is not in a folder") }
    var (after, limit): (UInt64, Int) = (0, 1_000)
    for item in request.target.items {
      switch (item.name, Int64(item.value)) {
      case ("after", let number?) where number >= 0: after = UInt64(number)
      case ("limit", let number?) where number >= 0: limit = Int(min(max(number, 1), 10_000))
      default:
        return .failure(
          400, "invalidInput", "\(printable(item.name)): after and limit are expected, as numbers")
      }
    }
    var out: [UInt8] = []
    do throws(LogError) {
      let view = log.view()
      if after < (try view.head().seq) {
        try view.forEachLine(after: after, until: .max) { line in
          out += line.bytes
          out.append(0x0a)
          limit -= 1
          return limit > 0 && out.count < 8 << 20
        }
      }
    } catch {
      return Response(Reply(.failure(.log(error))), position: 0)
    }
    return Response(
      200, [("Content-Type", "application/x-ndjson"), ("Cache-Control", "no-store")], out)
  }
}

/// The lines of one request on their way.
final class LineRun: Sendable {
  private struct State {
    var at = 0
    var isPerforming = true
    /// Nothing more is performed.
    var isOver = false
    var outlet: Outlet?
  }

  private typealias Line = Result<Request, UseCaseError>

  /// Commands performed together, with one sync. A user's are fewer, so that their answers fit into
  /// the buffer.
  private let batch: Int
  private let service: Service
  private let body: [UInt8]
  let caller: Caller
  private let state = Mutex(State())

  init(_ service: Service, _ body: [UInt8], _ caller: Caller) {
    self.service = service
    self.body = body
    self.caller = caller
    batch = max(1, min(caller.service == nil ? 40 : 100, service.bounds.queue))
  }

  func begin(_ outlet: Outlet) {
    state.withLock { $0.outlet = outlet }
    Task { await performBatch() }
  }

  /// Called when the client has taken all answers.
  func goOn() {
    let goes = state.withLock { state in
      if state.isPerforming || state.isOver { return false }
      state.isPerforming = true
      return true
    }
    if goes { Task { await performBatch() } }
  }

  /// Ends the run after the lines that are being performed.
  func stop() {
    let idle = state.withLock { state -> Outlet? in
      state.isOver = true
      return state.isPerforming ? nil : state.outlet
    }
    idle?.end()
  }

  /// The client has gone.
  func leave() {
    state.withLock { state in
      state.isOver = true
      state.outlet = nil
    }
  }

  /// Performs commands up to the next query; or queries, until half of the buffer is full.
  private func performBatch() async {
    var out: [UInt8] = []
    var isQuery = true
    var isEnd = false
    while isQuery, !isEnd, out.count < service.bounds.runAnswers / 2 {
      let (lines, areQueries) = nextLines(queriesOnly: !out.isEmpty)
      guard state.withLock({ $0.outlet != nil }) else { return }
      if lines.isEmpty {
        isEnd = out.isEmpty
        break
      }
      isQuery = areQueries
      for reply in await replies(to: lines) {
        out += reply.publicJSON.text.utf8
        out.append(0x0a)
      }
    }
    state.withLock { state in
      state.isPerforming = false
      if isEnd { state.isOver = true }
      if !out.isEmpty { state.outlet?.offer(out) }
      if state.isOver { state.outlet?.end() }
    }
  }

  /// The next lines to be performed together: one query, or commands and lines that are none.
  /// - Parameter queriesOnly: whether only a query is wanted, and nothing otherwise.
  private func nextLines(queriesOnly: Bool) -> (lines: [Line], areQueries: Bool) {
    state.withLock { state in
      var lines: [Line] = []
      while lines.count < batch, state.at < body.count, !state.isOver {
        let end = body[state.at...].firstIndex(of: 0x0a) ?? body.count
        var text = body[state.at..<end]
        if text.last == 0x0d { text.removeLast() }
        if text.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) {
          state.at = end + 1
          continue
        }
        let line = Line { () throws(UseCaseError) in try request(text) }
        let isQuery = (try? line.get()).flatMap { Registry.find($0.name) }?.writes == false
        if isQuery ? !lines.isEmpty : queriesOnly { break }
        lines.append(line)
        state.at = end + 1
        if isQuery { return (lines, true) }
      }
      return (lines, false)
    }
  }

  private func replies(to lines: [Line]) async -> [Reply] {
    let good = lines.compactMap { try? $0.get() }
    // Whoever sends a run waits for room instead of being refused in the middle.
    while service.enqueue(good.count) != nil {
      if state.withLock({ $0.isOver }) { return [] }
      try? await Task.sleep(for: .milliseconds(20))
    }
    var replies = await service.core.perform(good, photos: service.photos)[...]
    service.dequeue(good.count)
    return lines.map { line in
      switch line {
      case .success: replies.popFirst() ?? Reply(.failure(.log(.closed(reason: "no reply came"))))
      case .failure(let error): Reply(.failure(error))
      }
    }
  }

  /// A user's lines are the user's own and of now; a service may say who acts, and when.
  private func request(_ line: ArraySlice<UInt8>) throws(UseCaseError) -> Request {
    var request: Request
    do throws(InputError) {
      request = try Request(line: Array(line))
    } catch {
      throw .invalidInput(error)
    }
    guard caller.service == nil else { return request }
    if let user = request.user.map(service.core.spelling), user != caller.user {
      throw .refused(.notAuthorized)
    }
    if request.isService || request.time != nil { throw .refused(.notAuthorized) }
    request.user = caller.user
    return request
  }
}
