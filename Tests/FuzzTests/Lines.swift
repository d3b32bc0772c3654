import FaultTesting

@testable import EventLog
@testable import Events

func fuzzParser(_ bytes: [UInt8]) {
  var names = Names()
  var strict = LineParser(takesShortcut: false)
  if let value = try? JSONValue(object: bytes) {
    let text = value.text
    guard let again = try? JSONValue(object: text.utf8) else { fatalError("refused: \(text)") }
    demand(again == value && again.text == text, "not the same again: \(text)")
  }
  guard let (line, event) = try? strict.parse(bytes, names: &names) else { return }
  // An accepted line is an object with valid text.
  demand((try? JSONValue(object: bytes)) != nil, "accepted, and no object")
  guard let event else { return }
  // Written in canonical form, it reads as the same event and is written the same again.
  let data = event.data(names)
  if line.version ?? 1 == event.type.version { demand(data == line.data, "another data") }
  let text =
    #"{"type":""# + event.type.name + #"","v":\#(event.type.version),"actor":""# + line.actor
    + #"","data":"#
  var fast = LineParser()
  var others = Names()
  guard
    let (_, again) = try? fast.parse(Array(text.utf8) + data + [0x7d], names: &others), let again
  else { fatalError("what was written is not read") }
  demand(again.data(others) == data, "not canonical: \(String(decoding: data, as: UTF8.self))")
}

func fuzzDifferential(_ bytes: [UInt8]) {
  var (some, others) = (Names(), Names())
  var (fast, strict) = (LineParser(), LineParser(takesShortcut: false))
  do throws(LineFault) {
    let one = try fast.parse(bytes, names: &some)
    do throws(LineFault) {
      let other = try strict.parse(bytes, names: &others)
      demand(one.line == other.line, "\(one.line) and \(other.line)")
      demand(
        one.event?.data(some) == other.event?.data(others)
          && one.event?.type == other.event?.type, "two events")
    } catch {
      fatalError("the fast path accepts what the strict one does not: \(error)")
    }
  } catch {
    do throws(LineFault) {
      _ = try strict.parse(bytes, names: &others)
      fatalError("the fast path refuses what the strict one accepts: \(error)")
    } catch let other {
      demand(other == error, "\(error), and \(other)")
    }
  }
}

/// Feeds lines with right sums and any content to the fast reader, which trusts the layout.
func fuzzReader(_ bytes: [UInt8]) {
  let disk = SimulatedDisk()
  disk.makeFolder("/log")
  disk["/log/0000000000000001.jsonl"] = sealed(bytes)
  guard let view = try? LogView(path: "/log", files: disk.files) else { return }
  let fast = Result { () throws(LogError) in try readFast(view) }
  let strict = Result { () throws(LogError) in try readStrictly(view) }
  switch (fast, strict) {
  case (.success(let some), .success(let others)):
    demand(some == others, "two readings")
  case (.failure(let error), .success): fatalError("only the fast reader refuses: \(error)")
  // If the sum is right, the fast reader trusts the members that projections do not use.
  case (_, .failure(let error)):
    demand((try? view.verify()) == nil, "verified, and not read strictly: \(error)")
  }
  if (try? view.verify()) != nil, case .failure(let error) = fast {
    fatalError("verified, and not read: \(error)")
  }
}

/// Reads like a projection: the data of each known event.
func readFast(_ view: LogView) throws(LogError) -> [[UInt8]] {
  var names = Names()
  var events: [Event] = []
  try view.forEachTypedEvent(&names, unknown: .skip) { event, _, _ in events.append(copy event) }
  return events.filter { $0.type != .app }.map { $0.data(names) }
}

/// The same with the strict parser only.
func readStrictly(_ view: LogView) throws(LogError) -> [[UInt8]] {
  var names = Names()
  var parser = LineParser(takesShortcut: false)
  var found: [[UInt8]] = []
  try view.forEachLine { (line) throws(LogError) in
    let event = try? parser.parse(line.bytes, names: &names).event
    if let event = event ?? nil { found.append(event.data(names)) }
    return true
  }
  return found
}
