import Events
import Synchronization
import UseCases

/// The server's metrics for Prometheus (text format 0.0.4).
final class Metrics: Sendable {
  struct Histogram {
    let bounds: [Double]
    var counts: [Int]
    var sum = 0.0

    init(_ bounds: [Double]) {
      self.bounds = bounds
      counts = Array(repeating: 0, count: bounds.count + 1)
    }

    mutating func add(_ value: Double) {
      counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
      sum += value
    }
  }

  struct State {
    var requests: [String: [Int: Int]] = [:]
    var errors: [String: Int] = [:]
    var commands = 0
    var events = 0
    var seconds = Histogram([0.001, 0.005, 0.025, 0.1, 0.5, 2.5])
    var groups = Histogram([1, 4, 16, 64, 256, 1_024, 4_096])
    var appends = Histogram([0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 1])
    var appendFailures = 0
    /// The time of the last append if it failed; nil if it succeeded.
    var failed: Timestamp?
    var connections = 0
  }

  let state = Mutex(State())

  func count(_ template: String, _ response: Response, seconds: Double) {
    state.withLock { state in
      state.requests[template, default: [:]][response.status, default: 0] += 1
      if let error = response.failure { state.errors[error.code, default: 0] += 1 }
      state.seconds.add(seconds)
    }
  }

  func count(_ report: CommandBatchReport, _ now: Timestamp) {
    state.withLock { state in
      state.groups.add(Double(report.commands))
      state.appends.add(report.duration.inSeconds)
      switch report.failure {
      case nil:
        state.commands += report.commands
        state.events += report.events
        state.failed = nil
      case let error? where error.isFromReader: break
      case .file, .closed, .store, .damaged, .notALog, .rewritten, .noSuchLog, .locked:
        state.appendFailures += 1
        state.failed = now
      case .conflict, .idTaken, .keyUsed, .timeGoesBack, .invalidEvent, .noSuchRevision,
        .notImported, .unknownType:
        break
      }
    }
  }

  func count(connection change: Int) { state.withLock { $0.connections += change } }

  /// Returns false for 5 s after a failed append, and then true: only another append can show
  /// whether the log is writable.
  func isWritable(_ now: Timestamp) -> Bool {
    state.withLock { state in
      state.failed.map { now.milliseconds - $0.milliseconds > 5_000 } ?? true
    }
  }

  func text(_ gauges: [(name: String, help: String, value: Double)]) -> String {
    let state = state.withLock { $0 }
    var out = ""
    func head(_ name: String, _ kind: String, _ help: String) {
      out += "# HELP eventlog_\(name) \(help)\n# TYPE eventlog_\(name) \(kind)\n"
    }
    head("requests_total", "counter", "Requests answered, by path and status.")
    for (path, statuses) in state.requests.sorted(by: { $0.key < $1.key }) {
      for (status, count) in statuses.sorted(by: { $0.key < $1.key }) {
        out += "eventlog_requests_total{path=\"\(path)\",status=\"\(status)\"} \(count)\n"
      }
    }
    head("refusals_total", "counter", "Requests refused, by code.")
    for (code, count) in state.errors.sorted(by: { $0.key < $1.key }) {
      out += "eventlog_refusals_total{code=\"\(code)\"} \(count)\n"
    }
    func single(_ name: String, _ kind: String, _ help: String, _ value: Double) {
      head(name, kind, help)
      out += "eventlog_\(name) \(number(value))\n"
    }
    single(
      "commands_total", "counter", "Commands in batches that were appended.",
      Double(state.commands))
    single("events_total", "counter", "Events appended.", Double(state.events))
    single(
      "append_failures_total", "counter", "Batches that could not be appended.",
      Double(state.appendFailures))
    let histograms = [
      ("request_seconds", "Time from the head of a request to its answer.", state.seconds),
      ("group_commands", "Commands made durable with one sync.", state.groups),
      ("append_seconds", "Time to write and sync a batch.", state.appends),
    ]
    for (name, help, histogram) in histograms {
      head(name, "histogram", help)
      var total = 0
      for (bound, count) in zip(histogram.bounds, histogram.counts) {
        total += count
        out += "eventlog_\(name)_bucket{le=\"\(number(bound))\"} \(total)\n"
      }
      total += histogram.counts[histogram.bounds.count]
      out += "eventlog_\(name)_bucket{le=\"+Inf\"} \(total)\n"
      out += "eventlog_\(name)_sum \(number(histogram.sum))\neventlog_\(name)_count \(total)\n"
    }
    for gauge in gauges { single(gauge.name, "gauge", gauge.help, gauge.value) }
    single("connections", "gauge", "Open connections.", Double(state.connections))
    return out
  }

  private func number(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? "\(Int(value))" : "\(value)"
  }
}

extension Duration {
  /// The duration in seconds. (`self / .seconds(1)` divides 128-bit numbers and takes longer than
  /// the rest of the counting.)
  var inSeconds: Double { Double(attoseconds) / 1e18 }
}
