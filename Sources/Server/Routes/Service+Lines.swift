import Events
import UseCases

// `/v1/run` and `/v1/log`.
extension Service {
  /// Performs the requests in a body's lines, like `eventlog run`. Performs them in batches, as
  /// fast as the client reads the answers.
  ///
  /// If the client disconnects, lines without an answer may or may not have been performed.
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

  /// Sends the log's lines to a service. `after` is the position before the first line, by default
  /// 0. `limit` is the largest number of lines: by default 1,000, at most 10,000. An answer ends
  /// after 8 MiB.
  func sendLines(_ request: Admitted) -> Response {
    guard request.session.caller.service != nil else {
      return .failure(403, "notAuthorized", "only a service may read the log's lines")
    }
    guard let log else { return .failure(503, "logFailed", "this log is not in a folder") }
    var (after, limit): (UInt64, Int) = (0, 1_000)
    for item in request.target.items {
      switch (item.name, Int64(item.value)) {
      case ("after", let number?) where number >= 0: after = UInt64(number)
      case ("limit", let number?) where number >= 0: limit = Int(min(max(number, 1), 10_000))
      default:
        return .failure(
          400, "invalidInput",
          "\(printable(item.name)): only after and limit are allowed, with a number each")
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
      return Response(.log(error))
    }
    return Response(
      200, [("Content-Type", "application/x-ndjson"), ("Cache-Control", "no-store")], out)
  }
}
