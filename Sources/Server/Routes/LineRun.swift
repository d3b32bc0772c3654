import Events
import Synchronization
import UseCases

/// The lines of one `/v1/run` request, performed in batches.
final class LineRun: Sendable {
  private struct State {
    var at = 0
    var isPerforming = true
    var isOver = false
    var outlet: Outlet?
  }

  private typealias Line = Result<Request, UseCaseError>

  /// The most commands performed together with one sync: 100 for a service, 40 for a user. The
  /// answers to a user's 40 commands must fit into the buffer.
  private let batch: Int
  private let service: Service
  private let body: [UInt8]
  let caller: Caller
  private let state = Mutex(State())

  init(_ service: Service, _ body: [UInt8], _ caller: Caller) {
    (self.service, self.body, self.caller) = (service, body, caller)
    batch = max(1, min(caller.service == nil ? 40 : 100, service.bounds.queue))
  }

  func begin(_ outlet: Outlet) {
    state.withLock { $0.outlet = outlet }
    Task { await performBatch() }
  }

  func goOn() {
    let goes = state.withLock { state in
      if state.isPerforming || state.isOver { return false }
      state.isPerforming = true
      return true
    }
    if goes { Task { await performBatch() } }
  }

  func stop() {
    let idle = state.withLock { state -> Outlet? in
      state.isOver = true
      return state.isPerforming ? nil : state.outlet
    }
    idle?.end()
  }

  func leave() {
    state.withLock { state in
      state.isOver = true
      state.outlet = nil
    }
  }

  /// Performs the next lines and sends their answers: a batch of commands up to the next query, or
  /// queries until their answers fill half of the buffer.
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

  /// Returns the next lines to perform together: one query, or several commands and invalid lines.
  /// - Parameter queriesOnly: whether to return no lines if the next line is not a query.
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
    // A run waits until its user may store further photos.
    for request in good where Registry.find(request.name)?.takesImage == true {
      while !service.mayStorePhoto(caller) {
        if state.withLock({ $0.isOver }) { return [] }
        try? await Task.sleep(for: .milliseconds(100))
      }
    }
    // The server does not refuse lines of a run that has begun. They wait until the queue has room.
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

  /// Parses a line as a request. Only a service may name another user or a time in it.
  private func request(_ line: ArraySlice<UInt8>) throws(UseCaseError) -> Request {
    var request = try valid(Request(line: Array(line)))
    request.correlation = request.correlation ?? caller.correlation
    guard caller.service == nil else { return request }
    if let user = request.user.map(service.core.spelling), user != caller.user {
      throw .refused(.notAuthorized)
    }
    if request.isService || request.time != nil { throw .refused(.notAuthorized) }
    request.user = caller.user
    return request
  }
}
