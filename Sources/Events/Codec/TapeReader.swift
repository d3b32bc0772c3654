/// Reads the fields of a JSON object that the strict parser has parsed into a `JSONTape`. The
/// fields may be in any order; `end(known:)` refuses unknown ones.
struct TapeReader: MemberReader {
  let tape: UnsafePointer<JSONTape>
  let bytes: UnsafeBufferPointer<UInt8>
  let names: UnsafeMutablePointer<Names>
  let object: Int
  let path: String
  private(set) var taken = 0

  init(
    _ tape: UnsafePointer<JSONTape>, _ bytes: UnsafeBufferPointer<UInt8>,
    _ names: UnsafeMutablePointer<Names>, object: Int, path: String
  ) {
    (self.tape, self.bytes, self.names, self.object, self.path) = (tape, bytes, names, object, path)
  }

  func node(_ index: Int) -> JSONTape.Node { tape.pointee.nodes[index] }

  /// The indices of the nodes with the fields' names. A field's value is the node after its name.
  var members: [Int] {
    var found: [Int] = []
    var at = object + 1
    while at < node(object).next {
      found.append(at)
      at = Int(node(at + 1).next)
    }
    return found
  }

  var memberCount: Int {
    var count = 0
    var at = object + 1
    let end = Int(node(object).next)
    while at < end {
      count += 1
      at = Int(node(at + 1).next)
    }
    return count
  }

  /// Returns the index of the node with this field's value; nil if the object does not have the
  /// field.
  func find(_ name: StaticString) -> Int? {
    let wanted = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    var at = object + 1
    let end = Int(node(object).next)
    while at < end {
      let key = node(at)
      let same =
        key.escaped
        ? JSONString.decode(bytes, key).elementsEqual(wanted)
        : Int(key.end - key.start) == wanted.count
          && JSONString.raw(bytes, key).elementsEqual(wanted)
      if same { return at + 1 }
      at = Int(node(at + 1).next)
    }
    return nil
  }

  private func full(_ name: StaticString) -> String {
    path.isEmpty ? "\(name)" : "\(path).\(name)"
  }

  private func read<V: WireValue>(_ node: Int, _ name: StaticString) throws(LineFault) -> V {
    try V(node, in: self) { full(name) }
  }

  mutating func required<V: WireValue>(_ name: StaticString) throws(LineFault) -> V {
    guard let node = find(name) else {
      throw LineFault(.missingMember, at: Int(self.node(object).start), path: full(name))
    }
    taken += 1
    return try read(node, name)
  }

  mutating func optional<V: WireValue>(_ name: StaticString) throws(LineFault) -> V? {
    guard let node = find(name) else { return nil }
    taken += 1
    return try read(node, name) as V
  }

  mutating func patch<V: WireValue>(_ name: StaticString) throws(LineFault) -> Patch<V> {
    guard let node = find(name) else { return .keep }
    taken += 1
    return self.node(node).kind == .null ? .clear : .set(try read(node, name))
  }

  /// Throws `unknownMember` if the object has a field whose name is not in `known`.
  func end(known: borrowing [String]) throws(LineFault) {
    guard taken < memberCount else { return }
    for member in members {
      let name = String(decoding: JSONString.decode(bytes, node(member)), as: UTF8.self)
      if !known.contains(name) {
        throw LineFault(
          .unknownMember, at: Int(node(member).start), path: "\(path).\(printable(name))")
      }
    }
  }

  package func fault(_ kind: LineFault.Kind, _ index: Int, _ path: () -> String) -> LineFault {
    LineFault(kind, at: Int(node(index).start), path: path())
  }

  /// Returns a node's bytes in the line, with the quotes if the node is a string.
  func text(of index: Int) -> UnsafeBufferPointer<UInt8> {
    let node = node(index)
    let quote = node.kind == .string ? 1 : 0
    return UnsafeBufferPointer(
      rebasing: bytes[Int(node.start) - quote..<Int(node.end) + quote])
  }
}

/// Returns a name from the input in a form for error messages: shortened, and without control
/// characters.
package func printable(_ name: String) -> String {
  var out = ""
  for scalar in name.unicodeScalars.prefix(40) {
    switch scalar.value {
    case 0..<0x20, 0x7f..<0xa0, 0x200e...0x200f, 0x2028...0x202e, 0x2066...0x2069: out += "?"
    default: out.unicodeScalars.append(scalar)
    }
  }
  return out
}
