/// The folding that search applies to texts: it removes case and diacritics.
///
/// ```swift
/// Folding.fold("Åse BJØRNSTAD")  // the bytes of "ase bjornstad"
/// Folding.fold("Straße")         // the bytes of "strasse"
/// ```
/// Folding is canonical decomposition without marks, with full case folding. Marks are category Mn
/// and the few other characters with a combining class. So й becomes и, and が becomes か.
///
/// It also replaces letters that have no decomposition but that people type plainly: ø → o,
/// ł → l, đ and ð → d, ħ → h, ŧ → t, ŋ → n, ı → i, ĸ → k, þ → th, æ → ae, œ → oe, ’ and ʼ → '.
/// Hangul syllables become their letters, so that a half-typed syllable matches. Compatibility
/// forms, such as full-width letters, stay distinct. `Tests/Unicode/folding.py` has the definition.
///
/// Each scalar is folded separately, so folding the parts of a text folds the whole text.
/// Canonically equivalent texts fold to the same bytes. Folding a folded text changes nothing.
/// - Complexity: O(bytes): a nanosecond per byte of ASCII, a few nanoseconds per other scalar. The
///   first use builds a table in a millisecond; the table takes 160 kB.
public enum Folding {
  /// Returns the folded text in UTF-8.
  public static func fold(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    append(text, to: &bytes)
    return bytes
  }

  static func append(_ text: String, to bytes: inout [UInt8]) {
    let start = bytes.count
    for byte in text.utf8 {
      guard byte < 0x80 else {
        bytes.removeLast(bytes.count - start)
        return appendScalars(text, to: &bytes)
      }
      bytes.append(lowercased(byte))
    }
  }

  private static func appendScalars(_ text: String, to bytes: inout [UInt8]) {
    for scalar in text.unicodeScalars { append(scalar, to: &bytes) }
  }

  @inline(__always)
  private static func append(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
    let value = scalar.value
    if value < 0x80 {
      bytes.append(lowercased(UInt8(value)))
    } else if value >= Hangul.first && value <= Hangul.last {
      Hangul.append(value, to: &bytes)
    } else {
      var cell = FoldingTable.shared[value]
      if cell == 0 {
        bytes.append(contentsOf: UTF8.encode(scalar)!)
      } else if cell != FoldingTable.nothing {
        while cell != 0 {
          bytes.append(UInt8(truncatingIfNeeded: cell))
          cell >>= 8
        }
      }
    }
  }

  /// Compares the folded forms of two texts byte by byte, up to the first difference.
  /// - Parameter steps: the number of bytes compared so far. The call adds its own.
  /// - Returns: a negative number if `a` comes first, a positive one if `b` does, 0 if the forms
  ///   are equal.
  /// - Complexity: O(the length of the beginning that the two forms share).
  package static func order(_ a: String, _ b: String, _ steps: inout Int) -> Int {
    var (a, b) = (FoldedBytes(a), FoldedBytes(b))
    while true {
      steps += 1
      switch (a.next(), b.next()) {
      case (nil, nil): return 0
      case (nil, _): return -1
      case (_, nil): return 1
      case (let x?, let y?): if x != y { return x < y ? -1 : 1 }
      }
    }
  }

  /// The bytes of a text's folded form, each made when it is needed.
  private struct FoldedBytes: IteratorProtocol {
    private var scalars: String.UnicodeScalarView.Iterator
    /// The folded form of the last scalar that is not ASCII. `at` of its bytes were returned.
    private var piece: [UInt8] = []
    private var at = 0

    init(_ text: String) { scalars = text.unicodeScalars.makeIterator() }

    mutating func next() -> UInt8? {
      while at == piece.count {
        guard let scalar = scalars.next() else { return nil }
        if scalar.value < 0x80 { return Folding.lowercased(UInt8(scalar.value)) }
        piece.removeAll(keepingCapacity: true)
        at = 0
        Folding.append(scalar, to: &piece)
      }
      at += 1
      return piece[at - 1]
    }
  }

  @inline(__always)
  static func lowercased(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }
}

/// The split of Hangul syllables into two or three letters (Unicode Standard, section 3.12).
private enum Hangul {
  static let first: UInt32 = 0xac00
  static let last: UInt32 = 0xd7a3

  static func append(_ syllable: UInt32, to bytes: inout [UInt8]) {
    let index = syllable - first
    append(letter: 0x1100 + index / 588, to: &bytes)
    append(letter: 0x1161 + index % 588 / 28, to: &bytes)
    if index % 28 > 0 { append(letter: 0x11a7 + index % 28, to: &bytes) }
  }

  private static func append(letter: UInt32, to bytes: inout [UInt8]) {
    bytes.append(0xe0 | UInt8(letter >> 12))
    bytes.append(0x80 | UInt8(letter >> 6 & 0x3f))
    bytes.append(0x80 | UInt8(letter & 0x3f))
  }
}

/// The folded form of each scalar. A lookup has two steps: first the page of the scalar's group of
/// 128, then the scalar's cell in this page.
///
/// A cell contains the folded form in UTF-8, at most eight bytes, with the first byte in the lowest
/// bits. 0 means that the scalar folds to itself.
private struct FoldingTable {
  static let shared = FoldingTable(runs: foldingRuns)
  /// The cell of a scalar that folding removes; 0xff never occurs in UTF-8.
  static let nothing: UInt64 = 0xff

  private var pages = [UInt8](repeating: 0, count: 0x110000 >> 7)
  /// Page 0 serves all groups whose scalars fold to themselves.
  private var cells = [UInt64](repeating: 0, count: 128)

  subscript(scalar: UInt32) -> UInt64 {
    cells[Int(pages[Int(scalar >> 7)]) << 7 | Int(scalar & 127)]
  }

  private init(runs: String) {
    for run in runs.utf8.split(separator: UInt8(ascii: " ")) { add(run) }
  }

  /// Adds the folded forms (targets) of a run of scalars. In `start*count/step+rise>target`, each
  /// scalar is `step` above the previous one, and each target is `rise` above.
  /// `start>target,target` has the targets of consecutive scalars. Points separate the scalars of a
  /// target. Scalars are hexadecimal; other numbers are decimal.
  private mutating func add(_ run: Substring.UTF8View) {
    var parts: [UInt8: UInt32] = [:]
    var targets: [[UInt32]] = []
    var mark: UInt8 = 0
    var value: UInt32 = 0
    func isTarget() -> Bool { ">.,".utf8.contains(mark) }
    func endNumber() {
      switch mark {
      case UInt8(ascii: ">"), UInt8(ascii: ","): targets.append([value])
      case UInt8(ascii: "."): targets[targets.count - 1].append(value)
      default: parts[mark] = value
      }
    }
    for byte in run {
      if let digit = Character(Unicode.Scalar(byte)).hexDigitValue {
        value = value * (mark == 0 || isTarget() ? 16 : 10) + UInt32(digit)
      } else {
        endNumber()
        (mark, value) = (byte, 0)
      }
    }
    if run.last == UInt8(ascii: ">") { targets = [[]] } else { endNumber() }
    let start = parts[0]!
    let count = parts[UInt8(ascii: "*")] ?? UInt32(targets.count)
    let step = parts[UInt8(ascii: "/")] ?? 1
    let rise = parts[UInt8(ascii: "+")] ?? 0
    for index in 0..<count {
      let target = targets[min(Int(index), targets.count - 1)]
      set(start + index * step, target.map { $0 + index * rise })
    }
  }

  private mutating func set(_ scalar: UInt32, _ target: [UInt32]) {
    var cell: UInt64 = 0
    var shift: UInt64 = 0
    for byte in target.flatMap({ UTF8.encode(Unicode.Scalar($0)!)! }) {
      cell |= UInt64(byte) << shift
      shift += 8
    }
    let page = Int(scalar >> 7)
    if pages[page] == 0 {
      pages[page] = UInt8(cells.count >> 7)
      cells.append(contentsOf: repeatElement(0, count: 128))
    }
    cells[Int(pages[page]) << 7 | Int(scalar & 127)] = target.isEmpty ? Self.nothing : cell
  }
}
