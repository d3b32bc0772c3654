extension Event {
  /// The canonical JSON of the event's data.
  public func data(_ names: borrowing Names) -> [UInt8] {
    var buffer = ByteBuffer()
    appendData(to: &buffer, names)
    return buffer.array
  }

  func appendData(to buffer: inout ByteBuffer, _ names: borrowing Names) {
    withUnsafePointer(to: names) { names in
      withUnsafeMutablePointer(to: &buffer) { buffer in
        var writer = MemberWriter(buffer, names)
        write(to: &writer)
        writer.end()
      }
    }
  }
}
