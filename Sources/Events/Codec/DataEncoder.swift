extension Event {
  /// Returns the event's data as canonical JSON.
  public func data(_ names: borrowing Names) -> [UInt8] {
    withUnsafePointer(to: names) { data($0) }
  }

  /// Takes names behind a pointer, because copying the table would cost as much as a short event.
  func data(_ names: UnsafePointer<Names>) -> [UInt8] {
    if case .app(let record) = self { return record.data }
    var buffer = ByteBuffer()
    withUnsafeMutablePointer(to: &buffer) { buffer in
      var writer = JSONWriter(buffer, names)
      write(to: &writer)
      writer.end()
    }
    return buffer.array
  }
}
