/// The source from which a table reads pages that are not in memory yet. Only classes can conform,
/// because Embedded Swift only has existentials of classes.
package protocol PageSource: AnyObject, Sendable {
  /// Reads the page that contains byte `offset` of the table, and copies it to the table's memory.
  /// Does nothing if the page is already in memory.
  /// - Parameters:
  ///   - base: The table's memory.
  ///   - blank: The bytes of a blank element. They fill a page that cannot be read.
  /// - Returns: Whether all the table's pages are now in memory.
  func load(_ offset: Int, into base: UnsafeMutableRawPointer, blank: [UInt8]) -> Bool
  /// Reads all of the table's pages that are not in memory yet.
  func loadAll(into base: UnsafeMutableRawPointer, blank: [UInt8])
}

package enum Pages {
  /// The size in bytes of a page, the unit in which tables read memory from a checkpoint.
  package static let size = 4096
  /// The size in bytes of a part of a page. Changes are recorded for each part. A page has 64
  /// parts, so one 64-bit word describes a page.
  package static let partSize = size / 64
}

/// A saved state of tables, such as a checkpoint, that can be read part by part.
///
/// A part contains the state of one projection, or the table of names. It is a range of sections,
/// and a section is an array of plain values.
package protocol SavedState: AnyObject, Sendable {
  /// The saved state's name in error messages, such as a path.
  var name: String { get }
  /// Whether some of the data that was read so far is damaged: it differs from the data that was
  /// written.
  var isDamaged: Bool { get }
  /// Deletes the saved state if possible.
  func remove()
  /// Returns whether a part is undamaged: all its data is as it was written.
  /// - Complexity: Reads the whole part.
  func isIntact(part name: String) -> Bool
  /// Returns the indices of a part's sections; nil if the saved state does not have the part in
  /// this version.
  func sections(ofPart name: String, version: Int) -> Range<Int>?
  /// Returns the sizes in bytes of a section's element and of the whole section; nil if there is no
  /// such section.
  func layout(ofSection index: Int) -> (stride: Int, byteCount: Int)?
  /// Reads a whole section into memory; returns false if the section is damaged.
  func read(section index: Int, into target: UnsafeMutableRawBufferPointer) -> Bool
  /// Returns a source that reads a section's pages one by one.
  func pages(ofSection index: Int) -> any PageSource
}

extension SavedState {
  /// Returns the bytes of a whole section; nil if the section is damaged.
  package func bytes(ofSection index: Int) -> [UInt8]? {
    guard let layout = layout(ofSection: index) else { return nil }
    var bytes = [UInt8](repeating: 0, count: layout.byteCount)
    return bytes.withUnsafeMutableBytes { read(section: index, into: $0) } ? bytes : nil
  }
}
