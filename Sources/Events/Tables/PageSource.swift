/// The source of a table's pages that are not in memory. It is a class, because Embedded Swift only
/// has existentials of classes.
package protocol PageSource: AnyObject, Sendable {
  /// Reads the page at an offset into the table's memory, unless it is in memory already.
  /// - Parameters:
  ///   - base: The table's memory.
  ///   - blank: The bytes of a blank element, used for a page that cannot be read.
  /// - Returns: Whether all pages are now in memory.
  func load(_ offset: Int, into base: UnsafeMutableRawPointer, blank: [UInt8]) -> Bool
  /// Reads all pages that are not in memory.
  func loadAll(into base: UnsafeMutableRawPointer, blank: [UInt8])
}

package enum Pages {
  /// The size of a page in bytes.
  package static let size = 4096
  /// The unit of recorded changes: a 64th of a page, so that one word describes a page.
  package static let partSize = size / 64
}

/// A saved state, such as a checkpoint, that is read part by part.
///
/// A part is a range of sections; a section is an array of plain values.
package protocol SavedState: AnyObject, Sendable {
  /// The state's name in messages, such as a path.
  var name: String { get }
  /// Whether data that was read is not as it was written.
  var isDamaged: Bool { get }
  /// Deletes the state if possible.
  func remove()
  /// Whether the whole part is as it was written.
  /// - Complexity: Reads the part.
  func isIntact(part name: String) -> Bool
  /// Returns the sections of a part; nil if the state does not have it in this version.
  func sections(ofPart name: String, version: Int) -> Range<Int>?
  /// Returns the size in bytes of an element and of the section; nil if there is no such section.
  func layout(ofSection index: Int) -> (stride: Int, byteCount: Int)?
  /// Reads a whole section; returns false if it is not as it was written.
  func read(section index: Int, into target: UnsafeMutableRawBufferPointer) -> Bool
  /// Returns the source of a section's pages, for reading them one by one.
  func pages(ofSection index: Int) -> any PageSource
}

extension SavedState {
  /// Returns a whole section; nil if it is not as it was written.
  package func bytes(ofSection index: Int) -> [UInt8]? {
    guard let layout = layout(ofSection: index) else { return nil }
    var bytes = [UInt8](repeating: 0, count: layout.byteCount)
    return bytes.withUnsafeMutableBytes { read(section: index, into: $0) } ? bytes : nil
  }
}
