import Aggregates
import Events

// What the page calls, in a worker of its own: one thread, one log at a time.
nonisolated(unsafe) private var opened: Opened?

private final class Opened {
  var machine: TimeMachine

  init(_ log: LogBytes, rules: Rules) throws(LogError) {
    machine = try TimeMachine(log, rules: rules)
  }
}

/// Opens a log.
/// - Parameters:
///   - log: the bytes of its lines; they are copied.
///   - rules: JSON of the app's rules.
/// - Returns: 0, or a text that says why it cannot be opened, as `reply` gives one.
@_expose(wasm, "open")
@_cdecl("open_log")
public func openLog(
  _ log: UnsafePointer<UInt8>, _ count: Int, _ name: UnsafePointer<UInt8>, _ nameCount: Int,
  _ rules: UnsafePointer<UInt8>, _ rulesCount: Int
) -> UnsafeMutablePointer<UInt8>? {
  opened = nil
  var fault = ""
  do throws(RulesFault) {
    let rules = try Rules(json: text(rules, rulesCount))
    let log = LogBytes(
      UnsafeBufferPointer(start: log, count: count), name: text(name, nameCount))
    do throws(LogError) {
      opened = try Opened(log, rules: rules)
      return nil
    } catch {
      fault = "\(error)"
    }
  } catch {
    fault = "the rules: \(error)"
  }
  var out = ByteBuffer()
  out.append(fault)
  return passed(out)
}

/// Answers a question, in JSON.
/// - Returns: a length of four bytes, and that many bytes, to be freed by the caller.
@_expose(wasm, "reply")
@_cdecl("reply")
public func reply(
  _ question: UnsafePointer<UInt8>, _ count: Int
) -> UnsafeMutablePointer<UInt8>? {
  let question = text(question, count)
  guard let opened else { return nil }
  return passed(opened.machine.reply(to: question))
}

private func text(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> String {
  String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
}

private func passed(_ bytes: borrowing ByteBuffer) -> UnsafeMutablePointer<UInt8> {
  let answer = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count + 4)
  UnsafeMutableRawPointer(answer).storeBytes(of: UInt32(bytes.count), as: UInt32.self)
  bytes.withBytes { (answer + 4).update(from: $0.baseAddress!, count: $0.count) }
  return answer
}
