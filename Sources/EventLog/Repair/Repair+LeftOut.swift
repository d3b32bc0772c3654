extension Repair {
  /// A line that is not in the new log, because it is damaged or for another reason.
  public struct LeftOut: Equatable, Sendable {
    /// The path of the segment that contains the bytes.
    public var file: String
    /// The line's number in the file, from 1.
    public var line: Int
    /// The offset of the bytes in the file.
    public var offset: Int
    /// The number of bytes of the line, without its line feed.
    public var count: Int
    /// The position that the line states; nil if it states none.
    public var seq: UInt64?
    /// The reason why the bytes were left out.
    public var reason: String
    /// The path of the file in which the repair keeps the bytes.
    public var keptIn = ""
  }
}
