/// Returns the image that an input field contains as a `data:` URI or names as a file's path.
@Sendable func loadImage(_ text: String) throws(InputError) -> [UInt8] {
  if text.hasPrefix("data:") { return try Fields.dataURI(text) }
  do throws(FileError) {
    return try readFile(text)
  } catch {
    throw InputError("image", "\(error)")
  }
}

/// Returns the bytes of a file, at most about its first 64 MiB.
func readFile(_ path: String) throws(FileError) -> [UInt8] {
  let files = FileSystem.posix
  let file = try files.open(path, .read)
  defer { try? files.close(file, path) }
  var bytes: [UInt8] = []
  var piece = [UInt8](repeating: 0, count: 1 << 18)
  while bytes.count < 64 << 20 {
    let count = try files.read(file, &piece, piece.count, nil, path)
    if count == 0 { break }
    bytes += piece.prefix(count)
  }
  return bytes
}
