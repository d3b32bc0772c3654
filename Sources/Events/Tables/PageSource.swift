/// The source of a table's content that is not in memory. It is a class, because Embedded Swift has
/// no other existentials.
package protocol PageSource: AnyObject, Sendable {
  /// Reads the page at an offset into the table's memory, unless it is there already.
  /// - Parameters:
  ///   - base: the table's memory.
  ///   - blank: the bytes of an element, for a page that cannot be had.
  /// - Returns: whether all pages are in memory now.
  func load(_ offset: Int, into base: UnsafeMutableRawPointer, blank: [UInt8]) -> Bool
  func loadAll(into base: UnsafeMutableRawPointer, blank: [UInt8])
}

package enum Pages {
  /// In bytes.
  package static let size = 4096
  /// What is noted as changed: a 64th of a page, so that one word holds a page's parts.
  package static let partSize = size / 64
}

/// A saved state, such as a checkpoint, to be read part by part.
///
/// A part is a range of sections; a section is an array of plain values.
package protocol SavedState: AnyObject, Sendable {
  /// What messages call it: a path.
  var name: String { get }
  /// Whether something that was read was not what was written.
  var isDamaged: Bool { get }
  /// Deletes it, if that is possible.
  func remove()
  /// Whether all of a part is what was written.
  /// - Complexity: reads it.
  func isIntact(part name: String) -> Bool
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
  package func bytes(ofSection index: Int) -> [UInt8]? {
    guard let layout = layout(ofSection: index) else { return nil }
    var bytes = [UInt8](repeating: 0, count: layout.byteCount)
    return bytes.withUnsafeMutableBytes { read(section: index, into: $0) } ? bytes : nil
  }
}
