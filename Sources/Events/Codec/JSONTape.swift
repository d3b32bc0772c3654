/// One line of JSON, parsed strictly (RFC 8259) into a flat array of nodes.
///
/// The parser accepts all JSON that the RFC allows, with four exceptions: nesting deeper than
/// `maximumDepth`, duplicate names, lone surrogates, and numbers too large for `Double`. It reuses
/// the nodes' storage for the next line, so parsing allocates nothing once that storage is large
/// enough. Nodes refer to the line's bytes, which the caller must keep alive.
struct JSONTape {
  enum Kind: UInt8 { case object, array, string, number, yes, no, null }

  struct Node {
    var kind: Kind
    /// Whether the node is a string that contains escapes.
    var escaped = false
    /// The offset of the node's first byte: after the opening quote of a string, and at the opening
    /// bracket of an array or object.
    var start: UInt32
    var end: UInt32
    /// The index of the first node after this node and all nodes inside it.
    var next: UInt32 = 0
  }

  static let maximumDepth = 512

  private(set) var nodes: [Node] = []
  private var open: [UInt32] = []

  /// Parses one line without its line feed.
  /// - Parameter requiresObject: Whether the value must be an object, like a line of the log.
  /// - Throws: `LineFault` with the offset of the first byte that is not valid.
  mutating func parse(
    _ bytes: UnsafeBufferPointer<UInt8>, requiresObject: Bool = true
  ) throws(LineFault) {
    nodes.removeAll(keepingCapacity: true)
    open.removeAll(keepingCapacity: true)
    try Self.checkEncoding(bytes)
    var at = 0
    skipSpace(bytes, &at)
    if at == bytes.count { throw LineFault(.blankLine) }
    if requiresObject, bytes[at] != UInt8(ascii: "{") { throw LineFault(.notAnObject, at: at) }
    repeat { try step(bytes, &at) } while !open.isEmpty
    skipSpace(bytes, &at)
    if at < bytes.count { throw LineFault(.trailingBytes, at: at) }
  }

  private static func checkEncoding(_ bytes: UnsafeBufferPointer<UInt8>) throws(LineFault) {
    if bytes.count >= 2 {
      if bytes.starts(with: [0xef, 0xbb, 0xbf]) { throw LineFault(.byteOrderMark) }
      if bytes.starts(with: [0xff, 0xfe]) || bytes.starts(with: [0xfe, 0xff])
        || bytes.starts(with: [0x7b, 0x00]) || bytes.starts(with: [0x00, 0x7b])
      {
        throw LineFault(.utf16)
      }
    }
    if let offset = firstInvalidUTF8(bytes) { throw LineFault(.notUTF8, at: offset) }
  }

  /// Reads one step of the JSON text: either the next value with the punctuation before it, or the
  /// bracket that ends the innermost open array or object.
  private mutating func step(
    _ bytes: UnsafeBufferPointer<UInt8>, _ at: inout Int
  ) throws(LineFault) {
    if let container = open.last {
      skipSpace(bytes, &at)
      guard at < bytes.count else { throw LineFault(.truncated, at: at) }
      let isObject = nodes[Int(container)].kind == .object
      let isEmpty = Int(container) == nodes.count - 1
      if bytes[at] == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
        at += 1
        nodes[Int(container)].end = UInt32(at)
        nodes[Int(container)].next = UInt32(nodes.count)
        open.removeLast()
        if isObject { try checkDuplicates(bytes, Int(container)) }
        return
      }
      if !isEmpty {
        guard bytes[at] == UInt8(ascii: ",") else {
          throw LineFault(.expected(isObject ? "',' or '}'" : "',' or ']'"), at: at)
        }
        at += 1
        skipSpace(bytes, &at)
      }
      if isObject {
        guard at < bytes.count, bytes[at] == UInt8(ascii: "\"") else {
          throw LineFault(at < bytes.count ? .expected("a member name") : .truncated, at: at)
        }
        try string(bytes, &at)
        skipSpace(bytes, &at)
        guard at < bytes.count, bytes[at] == UInt8(ascii: ":") else {
          throw LineFault(at < bytes.count ? .expected("':'") : .truncated, at: at)
        }
        at += 1
        skipSpace(bytes, &at)
      }
    }
    try value(bytes, &at)
  }

  private mutating func value(
    _ bytes: UnsafeBufferPointer<UInt8>, _ at: inout Int
  ) throws(LineFault) {
    guard at < bytes.count else { throw LineFault(.truncated, at: at) }
    switch bytes[at] {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      if open.count == Self.maximumDepth {
        throw LineFault(.tooDeep(limit: Self.maximumDepth), at: at)
      }
      open.append(UInt32(nodes.count))
      let kind: Kind = bytes[at] == UInt8(ascii: "{") ? .object : .array
      nodes.append(Node(kind: kind, start: UInt32(at), end: 0))
      at += 1
    case UInt8(ascii: "\""): try string(bytes, &at)
    case UInt8(ascii: "t"): try word("true", .yes, bytes, &at)
    case UInt8(ascii: "f"): try word("false", .no, bytes, &at)
    case UInt8(ascii: "n"): try word("null", .null, bytes, &at)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number(bytes, &at)
    default: throw LineFault(.expected("a value"), at: at)
    }
  }

  private mutating func append(_ kind: Kind, _ start: Int, _ end: Int, escaped: Bool = false) {
    nodes.append(
      Node(
        kind: kind, escaped: escaped, start: UInt32(start), end: UInt32(end),
        next: UInt32(nodes.count + 1)))
  }

  private mutating func word(
    _ word: StaticString, _ kind: Kind, _ bytes: UnsafeBufferPointer<UInt8>, _ at: inout Int
  ) throws(LineFault) {
    let count = word.utf8CodeUnitCount
    for index in 0..<count
    where at + index >= bytes.count || bytes[at + index] != word.utf8Start[index] {
      throw LineFault(.expected("a value"), at: at)
    }
    append(kind, at, at + count)
    at += count
  }

  private mutating func number(
    _ bytes: UnsafeBufferPointer<UInt8>, _ at: inout Int
  ) throws(LineFault) {
    let start = at
    func isDigit(_ index: Int) -> Bool {
      index < bytes.count && bytes[index] &- UInt8(ascii: "0") < 10
    }
    if bytes[at] == UInt8(ascii: "-") { at += 1 }
    guard isDigit(at) else { throw LineFault(.badNumber, at: start) }
    if bytes[at] == UInt8(ascii: "0") {
      at += 1
      if isDigit(at) { throw LineFault(.badNumber, at: start) }
    } else {
      while isDigit(at) { at += 1 }
    }
    var isInteger = true
    if at < bytes.count, bytes[at] == UInt8(ascii: ".") {
      isInteger = false
      at += 1
      guard isDigit(at) else { throw LineFault(.badNumber, at: start) }
      while isDigit(at) { at += 1 }
    }
    if at < bytes.count, bytes[at] | 0x20 == UInt8(ascii: "e") {
      isInteger = false
      at += 1
      if at < bytes.count, bytes[at] == UInt8(ascii: "+") || bytes[at] == UInt8(ascii: "-") {
        at += 1
      }
      guard isDigit(at) else { throw LineFault(.badNumber, at: start) }
      while isDigit(at) { at += 1 }
    }
    append(.number, start, at)
    // An integer of up to 300 digits always fits into `Double`; for other numbers the conversion
    // shows whether they fit.
    if !isInteger || at - start > 300 {
      let value = Double(String(decoding: bytes[start..<at], as: UTF8.self))
      guard let value, value.isFinite else {
        throw LineFault(.outOfRange("beyond a 64-bit double"), at: start)
      }
    }
  }

  private mutating func string(
    _ bytes: UnsafeBufferPointer<UInt8>, _ at: inout Int
  ) throws(LineFault) {
    at += 1
    let start = at
    var escaped = false
    while at < bytes.count {
      let byte = bytes[at]
      if byte == UInt8(ascii: "\"") {
        append(.string, start, at, escaped: escaped)
        at += 1
        return
      }
      if byte < 0x20 { throw LineFault(.controlCharacter, at: at) }
      if byte == UInt8(ascii: "\\") {
        escaped = true
        try JSONString.skipEscape(bytes, &at)
      } else {
        at += 1
      }
    }
    throw LineFault(.truncated, at: at)
  }

  private func skipSpace(_ bytes: UnsafeBufferPointer<UInt8>, _ at: inout Int) {
    while at < bytes.count {
      switch bytes[at] {
      case 0x20, 0x09, 0x0a, 0x0d: at += 1
      default: return
      }
    }
  }

  private func checkDuplicates(
    _ bytes: UnsafeBufferPointer<UInt8>, _ object: Int
  ) throws(LineFault) {
    var names: [Int] = []
    var at = object + 1
    while at < nodes[object].next {
      names.append(at)
      at = Int(nodes[at + 1].next)
    }
    guard names.count > 1 else { return }
    if names.count <= 16 {
      for (index, name) in names.enumerated() {
        for other in names[..<index] where sameText(bytes, name, other) {
          throw LineFault(.duplicateMember, at: Int(nodes[name].start))
        }
      }
    } else {
      var seen = Set<[UInt8]>(minimumCapacity: names.count)
      for name in names where !seen.insert(JSONString.decode(bytes, nodes[name])).inserted {
        throw LineFault(.duplicateMember, at: Int(nodes[name].start))
      }
    }
  }

  private func sameText(_ bytes: UnsafeBufferPointer<UInt8>, _ a: Int, _ b: Int) -> Bool {
    if nodes[a].escaped || nodes[b].escaped {
      return JSONString.decode(bytes, nodes[a]) == JSONString.decode(bytes, nodes[b])
    }
    return JSONString.raw(bytes, nodes[a]).elementsEqual(JSONString.raw(bytes, nodes[b]))
  }
}
