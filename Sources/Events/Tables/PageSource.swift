/// Where the content of one table comes from while it is not all in memory.
///
/// Bound to classes, since Embedded Swift has no other existentials.
package protocol PageSource: AnyObject, Sendable {
  /// Brings the page of an offset into the table's memory, if it is not there yet.
  /// - Parameters:
  ///   - base: the table's memory.
  ///   - blank: the bytes of an element, for a page that cannot be had.
  /// - Returns: whether all pages are in memory now.
  func load(_ offset: Int, into base: UnsafeMutableRawPointer, blank: [UInt8]) -> Bool
  /// Brings all pages into memory.
  func loadAll(into base: UnsafeMutableRawPointer, blank: [UInt8])
}

/// What a table is read in.
enum Pages {
  /// In bytes.
  static let size = 4096
}

/// A state that was written, to be read again part by part: a checkpoint.
///
/// A part is a range of sections; a section is an array of plain values.
package protocol SavedState: AnyObject, Sendable {
  /// What messages call it: a path.
  var name: String { get }
  /// Whether something that was asked for was not what was written.
  var isDamaged: Bool { get }
  /// The sections of a part; nil if it is not there in this version.
  func sections(ofPart name: String, version: Int) -> Range<Int>?
  /// How many bytes an element and the whole section take; nil if there is no such section.
  func layout(ofSection index: Int) -> (stride: Int, byteCount: Int)?
  /// Reads a whole section.
  /// - Returns: false if it is not what was written.
  func read(section index: Int, into target: UnsafeMutableRawBufferPointer) -> Bool
  /// A section's pages, to be read one by one.
  func pages(ofSection index: Int) -> any PageSource
}

extension SavedState {
  /// A whole section; nil if it is not what was written.
  func bytes(ofSection index: Int) -> [UInt8]? {
    guard let layout = layout(ofSection: index) else { return nil }
    var bytes = [UInt8](repeating: 0, count: layout.byteCount)
    return bytes.withUnsafeMutableBytes { read(section: index, into: $0) } ? bytes : nil
  }
}
