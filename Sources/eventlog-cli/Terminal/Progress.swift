/// A progress bar on standard error for work that takes more than a second. Only a terminal shows
/// it.
///
/// The bar shows reported work, so it does not move between reports. It erases itself when it
/// finishes or is released.
final class Progress: Sendable {
  private struct State {
    var started: ContinuousClock.Instant
    var lastCheck: ContinuousClock.Instant
    var lastDraw: ContinuousClock.Instant?
    /// The amount of work after which the clock is read again.
    var step = 1
    var isFinished: Bool
    var label: String
    var total: Int
  }

  private let unit: String
  private let state: Mutex<State>
  private let nextCheck: Atomic<Int>

  /// Creates a bar.
  /// - Parameters:
  ///   - total: the total work, from which the bar estimates the remaining time; 0 or less if it is
  ///     unknown.
  ///   - unit: the plural noun of the work, such as `events`; `bytes` are shown as sizes.
  init(label: String, total: Int, unit: String) {
    let now = ContinuousClock.now
    let isShown = Terminal.isErrorTTY && !Terminal.isDumb
    self.unit = unit
    state = Mutex(
      State(
        started: now, lastCheck: now, isFinished: !isShown, label: sanitized(label), total: total))
    nextCheck = Atomic(isShown ? 0 : .max)
  }

  deinit {
    finish()
  }

  /// Reports the total work done; callable from any thread.
  ///
  /// - Complexity: one atomic load, except about twenty times a second.
  func update(_ done: Int) {
    if done >= nextCheck.load(ordering: .relaxed) { check(done) }
  }

  /// Reports the work done, and a total that was not known before.
  func update(_ done: Int, of total: Int) {
    guard done >= nextCheck.load(ordering: .relaxed) else { return }
    state.withLock { $0.total = total }
    check(done)
  }

  /// Reports the work done, and a new label.
  func update(_ done: Int, _ label: String) {
    state.withLock { $0.label = sanitized(label) }
    update(done)
  }

  /// Reports the work done, a total that was not known before, and a new label.
  func update(_ done: Int, of total: Int, _ label: String) {
    guard done >= nextCheck.load(ordering: .relaxed) else { return }
    state.withLock { $0.label = sanitized(label) }
    update(done, of: total)
  }

  /// Erases the bar until the next update, to make room for other output.
  func clear() {
    state.withLock { state in
      if state.lastDraw != nil, !state.isFinished { Output.error("\r\u{1b}[K") }
      state.lastDraw = nil
    }
  }

  /// Erases the bar; further updates do nothing.
  func finish() {
    nextCheck.store(.max, ordering: .relaxed)
    state.withLock { state in
      if state.lastDraw != nil, !state.isFinished { Output.error("\r\u{1b}[K") }
      state.isFinished = true
    }
  }

  private func check(_ done: Int) {
    _ = state.withLockIfAvailable { state in
      guard !state.isFinished else { return }
      let now = ContinuousClock.now
      let pause = now - state.lastCheck
      if pause < .milliseconds(25) {
        state.step = min(state.step * 2, 1 << 40)
      } else if pause > .milliseconds(100) {
        state.step = max(state.step / 2, 1)
      }
      state.lastCheck = now
      nextCheck.store(done &+ state.step, ordering: .relaxed)
      let elapsed = now - state.started
      guard elapsed >= .seconds(1) else { return }
      if let last = state.lastDraw, now - last < .milliseconds(100) { return }
      state.lastDraw = now
      let room = Terminal.columns(of: 2) - 1
      let line = progressLine(
        label: state.label, done: done, total: state.total, unit: unit,
        seconds: elapsed / .seconds(1), width: room)
      Output.error("\r\(line)\u{1b}[K")
    }
  }
}

/// Returns the bar's line after `seconds` of work, more than 0, cut to `width` columns. A narrower
/// line leaves out more parts, the remaining time last.
///
///     replay [=====>     ]  50%  500/1,000 events  250 events/s  0:02 left
func progressLine(
  label: String, done: Int, total: Int, unit: String, seconds: Double, width: Int
) -> String {
  let rate = max(0, Double(done)) / seconds
  let isBytes = unit == "bytes"
  let amount = { (n: Int) in isBytes ? byteSize(n) : grouped(n) }
  let suffix = isBytes ? "" : " \(unit)"
  let speed = amount(Int(min(rate, 1e18))) + suffix + "/s"
  guard total > 0 else {
    return truncated("\(label)  \(amount(done))\(suffix)  \(speed)", to: width)
  }
  let fraction = min(max(Double(done) / Double(total), 0), 1)
  let percent = String(Int(fraction * 100))
  let padding = String(repeating: " ", count: 3 - percent.count)
  var parts = ["\(padding)\(percent)%", "\(amount(done))/\(amount(total))\(suffix)", speed]
  if rate > 0 {
    parts.append("\(clockTime(max(0, Double(total) - Double(done)) / rate)) left")
  }
  let room = { width - displayWidth("\(label) \(parts.joined(separator: "  "))") }
  while room() < 0, parts.count > 2 { parts.remove(at: 1) }
  let barWidth = min(room() - 3, 30)
  let picture = barWidth < 5 ? "" : "[\(bar(fraction, barWidth))] "
  return truncated("\(label) \(picture)\(parts.joined(separator: "  "))", to: width)
}

private func bar(_ fraction: Double, _ width: Int) -> String {
  let filled = Int(fraction * Double(width))
  guard filled < width else { return String(repeating: "=", count: width) }
  return String(repeating: "=", count: filled) + ">"
    + String(repeating: " ", count: width - filled - 1)
}

/// Formats seconds as minutes and seconds, with hours if needed; at most `99:59:59`.
private func clockTime(_ seconds: Double) -> String {
  let whole = Int(min(seconds.rounded(.up), 359_999))
  let (hours, minutes) = (whole / 3600, whole / 60 % 60)
  let tail = ":" + (whole % 60).padded(to: 2)
  return hours > 0 ? "\(hours):\(minutes.padded(to: 2))\(tail)" : "\(minutes)\(tail)"
}
