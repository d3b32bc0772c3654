/// Writes the properties of a state, such as a projection's, to a checkpoint or reads them from
/// one.
///
/// ```swift
/// struct Shelf {
///   var count = 0
///   var titles: [String] = []
///
///   mutating func code(with coder: inout StateCoder) {
///     coder(&count)
///     coder.record(&titles)
///   }
/// }
/// ```
/// The same `code` method writes and reads. If the checkpoint's content does not fit the method,
/// reading leaves some values blank and sets `isSound` to false. The caller then discards the
/// state.
/// - Complexity: O(bytes); plain values and arrays of plain values are copied as they are in
///   memory.
public struct StateCoder {
  /// A section of a part: an array of plain values, or all values of the part that are not in such
  /// an array.
  package struct Section {
    package var stride: Int
    package var byteCount: Int
    package var withBytes: ((UnsafeRawBufferPointer) -> Void) -> Void
    /// The changes of the section since an earlier checkpoint; nil unless the earlier checkpoint
    /// contains most of the section.
    package var changes: Changes?
  }

  /// The changes of a section since it was restored from a checkpoint.
  package struct Changes {
    package var origin: any PageSource
    /// For each page, 64 bits: one for each of its parts, set if the part has changed.
    package var parts: [UInt64]
    /// Calls a closure with the section's memory. At least the changed pages are valid.
    package var withPagesInMemory: ((UnsafeRawBufferPointer) -> Void) -> Void
    /// Marks parts of the section's pages as changed, after reading these pages.
    package var noteChanged: ([UInt64]) -> Void
  }

  /// A part of a checkpoint with its own name and version: a projection's state, or the table of
  /// names.
  package struct Part {
    package var name: String
    package var version: Int
    /// The bytes of the part's values that do not have their own section.
    var values: [UInt8] = []
    var sections: [Section] = []

    /// All sections of the part: first the section with `values`, then the others.
    package var all: [Section] {
      let values = values
      return [Section(stride: 1, byteCount: values.count) { values.withUnsafeBytes($0) }] + sections
    }
  }

  private enum Direction {
    case writing
    case reading(any SavedState)
    case sharing
  }
  private let direction: Direction
  /// Whether a table's pages are only read when they are accessed.
  private let isLazy: Bool
  package private(set) var parts: [Part] = []
  /// The offset of the next value to read in the current part's `values`.
  private var at = 0
  /// The index of the next section to read in the current part.
  private var nextSection = 0
  /// The number of pages in all tables that were read so far.
  package private(set) var pageCount = 0
  /// Whether all values read so far were present and in the expected form.
  public private(set) var isSound = true

  package init() { (direction, isLazy) = (.writing, false) }
  package init(_ saved: any SavedState, lazily: Bool) {
    (direction, isLazy) = (.reading(saved), lazily)
  }

  /// Creates a coder that writes and reads nothing: it makes each table that it visits a snapshot
  /// of the table that it was copied from.
  package init(sharing: Void) { (direction, isLazy) = (.sharing, false) }

  /// Whether the coder reads; otherwise it writes.
  public var isReading: Bool {
    if case .reading = direction { return true }
    return false
  }

  private var isSharing: Bool {
    if case .sharing = direction { return true }
    return false
  }

  /// Sets `isSound` to false. Call it if the state cannot be stored in a checkpoint, or if the data
  /// read is invalid.
  public mutating func fail() { isSound = false }

  /// Writes or reads a part with its own name and version. The closure `body` writes or reads the
  /// part's values.
  public mutating func part(
    _ name: String, version: Int, _ body: (inout StateCoder) -> Void
  ) {
    var end = 0
    switch direction {
    case .sharing: break
    case .writing: parts.append(Part(name: name, version: version))
    case .reading(let saved):
      guard let sections = saved.sections(ofPart: name, version: version),
        let values = saved.bytes(ofSection: sections.lowerBound)
      else { return fail() }
      parts = [Part(name: name, version: version, values: values)]
      (at, nextSection, end) = (0, sections.lowerBound + 1, sections.upperBound)
    }
    body(&self)
    if isReading, at != parts[0].values.count || nextSection != end { fail() }
  }
}

extension StateCoder {
  /// Writes or reads a plain value, as it is in memory.
  @inlinable
  public mutating func callAsFunction<V: BitwiseCopyable>(_ value: inout V) {
    withUnsafeMutableBytes(of: &value) { bytes($0) }
  }

  /// When writing, appends bytes to the current part's `values`; when reading, copies the next
  /// bytes from `values`.
  @usableFromInline
  mutating func bytes(_ raw: UnsafeMutableRawBufferPointer) {
    if isSharing { return }
    if isReading {
      guard isSound, parts[0].values.count - at >= raw.count else { return fail() }
      parts[0].values.withUnsafeBytes {
        raw.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[at..<at + raw.count]))
      }
      at += raw.count
    } else {
      parts[parts.count - 1].values.append(contentsOf: raw)
    }
  }

  /// Writes or reads a value that is not plain, because it contains texts or has several cases.
  public mutating func record<V: Storable>(_ value: inout V) {
    if isSharing { return }
    var coder = RecordCoder()
    if !isReading { coder(&value) }
    var count = coder.bytes.count
    self(&count)
    guard isReading else { return parts[parts.count - 1].values.append(contentsOf: coder.bytes) }
    guard isSound, count >= 0, parts[0].values.count - at >= count else { return fail() }
    let isRead = parts[0].values.withUnsafeBufferPointer { values in
      var coder = RecordCoder(UnsafeBufferPointer(rebasing: values[at..<at + count]))
      coder(&value)
      return coder.isSound
    }
    at += count
    if !isRead { fail() }
  }

  /// Writes or reads an array of plain values, as its own section.
  public mutating func callAsFunction<V: BitwiseCopyable>(_ values: inout [V]) {
    if isSharing { return }
    let stride = MemoryLayout<V>.stride
    if case .reading(let saved) = direction {
      guard let section = takeSection(saved, stride) else {
        values = []
        return
      }
      values = [V](unsafeUninitializedCapacity: section.count) { target, count in
        let bytes = UnsafeMutableRawBufferPointer(target)
        count = saved.read(section: section.index, into: bytes) ? target.count : 0
      }
      if values.count != section.count { fail() }
    } else {
      let values = values
      add(Section(stride: stride, byteCount: values.count * stride) { values.withUnsafeBytes($0) })
    }
  }

  /// Writes or reads a table, as its own section. If the coder is lazy, the table's pages are read
  /// when they are accessed.
  package mutating func callAsFunction<V>(_ slab: inout Slab<V>) {
    if isSharing { return slab.becomeSnapshot() }
    let stride = MemoryLayout<V>.stride
    if case .reading(let saved) = direction {
      guard let section = takeSection(saved, stride) else { return }
      pageCount += (section.count * stride + Pages.size - 1) / Pages.size
      slab = Slab(
        blank: slab.blank, count: section.count, source: saved.pages(ofSection: section.index),
        lazily: isLazy)
    } else {
      let slab = slab
      var section = Section(stride: stride, byteCount: slab.count * stride) { body in
        slab.withElements { body(UnsafeRawBufferPointer($0)) }
      }
      if let (origin, parts) = slab.changes {
        section.changes = Changes(
          origin: origin, parts: parts, withPagesInMemory: slab.withPagesInMemory,
          noteChanged: slab.noteChanged)
      }
      add(section)
    }
  }

  private mutating func add(_ section: Section) { parts[parts.count - 1].sections.append(section) }

  private mutating func takeSection(
    _ saved: any SavedState, _ stride: Int
  ) -> (index: Int, count: Int)? {
    guard isSound, let layout = saved.layout(ofSection: nextSection), layout.stride == stride else {
      fail()
      return nil
    }
    nextSection += 1
    return (nextSection - 1, layout.byteCount / stride)
  }
}
