import Aggregates
import Events

// The page calls these functions in a worker, so there is only one thread and one log at a time.
nonisolated(unsafe) private var opened: Opened?

private final class Opened {
  var machine: TimeMachine

  init(_ log: LogBytes, rules: Rules) throws(LogError) {
    machine = try TimeMachine(log, rules: rules)
  }
}

/// Opens a log, which replaces the log that was open before.
/// - Parameters:
///   - log: The bytes of the log's lines; the function copies them.
///   - rules: The app's rules as JSON.
/// - Returns: Nil, or the reason why the log cannot be opened, as an answer in the form of `reply`.
@_expose(wasm, "open")
@_cdecl("open_log")
public func openLog(
  _ log: UnsafePointer<UInt8>, _ count: Int, _ name: UnsafePointer<UInt8>, _ nameCount: Int,
  _ rules: UnsafePointer<UInt8>, _ rulesCount: Int
) -> UnsafeMutablePointer<UInt8>? {
  opened = nil
  var fault = ""
  do throws(RulesFault) {
    let rules = try Rules(json: text(rules, rulesCount), edition: 1)
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

/// Answers a question in JSON.
/// - Returns: The answer's length in four bytes, then that many bytes. The caller frees this
///   memory. Nil if no log is open.
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
