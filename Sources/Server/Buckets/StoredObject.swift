import EventLog
import Events
import UseCases

/// A stored photo as clients of Supabase's storage see it: an object of a bucket.
///
/// The times are all the time at which the file was stored. The server keeps no other metadata.
struct StoredObject: Sendable {
  let path: StoredPath
  let contentType: String
  private let size: Int
  private let changed: Timestamp

  /// Reads an object's metadata: its status and its first bytes.
  /// - Returns: nil if there is no such file, or if it is neither a JPEG nor a PNG.
  init?(_ path: StoredPath, in folder: String) {
    let file = "\(folder)/\(path.text)"
    guard let status = try? FileSystem.posix.status(file), status.kind == .file,
      let start = try? FileSystem.posix.contents(of: file, limit: 24),
      let header = ImageHeader(start)
    else { return nil }
    (self.path, size, contentType) = (path, status.size, header.contentType)
    changed = Timestamp(milliseconds: status.changed / 1_000_000)
  }

  /// The value of `Cache-Control` with which the server sends an object of a bucket.
  static func cacheControl(_ bucket: StoredPath.Folder) -> String {
    // The file name contains the time of upload, so a new photo has a new name.
    bucket == .avatars ? "public, max-age=86400" : "private, no-cache"
  }

  /// Returns the id of an object: a UUID that depends only on the path.
  static func id(of path: StoredPath) -> String {
    let text = Array(path.text.utf8)
    let (high, low) = (XXH64.hash(text, seed: 1), XXH64.hash(text, seed: 2))
    // The version is 8, for ids of an own making (RFC 9562, 5.8).
    return EventID(
      high: high & ~0xf000 | 0x8000, low: low & ~(3 << 62) | 1 << 63
    ).description
  }

  private var tag: String {
    let text = Array("\(path.text)\n\(size)\n\(changed.milliseconds)".utf8)
    return "\"\(XXH64.hash(text, seed: 3).padded(to: 16, radix: 16))\""
  }

  private var metadata: JSONValue {
    .of([
      "eTag": .string(tag), "size": .int(size), "mimetype": .string(contentType),
      "cacheControl": .string(Self.cacheControl(path.folder)),
      "lastModified": .string("\(changed)"), "contentLength": .int(size),
      "httpStatusCode": .int(200),
    ])
  }

  /// The object as a list shows it.
  var listed: JSONValue { .object([.init("name", .string(path.file))] + members) }

  /// The object as the answer to a removal shows it.
  var removed: JSONValue {
    .object(
      [
        .init("name", .string(path.name)), .init("bucket_id", .string(path.folder.rawValue)),
        .init("owner", .string(path.owner)),
      ] + members)
  }

  /// The object as a call for its metadata shows it.
  var info: JSONValue {
    .object(
      [
        .init("name", .string(path.name)), .init("bucket_id", .string(path.folder.rawValue)),
        .init("version", .string(tag)), .init("size", .int(size)),
        .init("content_type", .string(contentType)), .init("etag", .string(tag)),
        .init("cache_control", .string(Self.cacheControl(path.folder))),
        .init("last_modified", .string("\(changed)")),
      ] + members)
  }

  private var members: [JSONValue.Member] {
    let time = JSONValue.string("\(changed)")
    return [
      .init("id", .string(Self.id(of: path))), .init("updated_at", time),
      .init("created_at", time), .init("last_accessed_at", time), .init("metadata", metadata),
    ]
  }

  /// The value by which a list sorts.
  func key(_ column: ObjectQuery.Column) -> (Int64, String) {
    (column == .name ? 0 : changed.milliseconds, path.file)
  }

  /// Returns a folder as a list shows it.
  static func folder(_ name: String) -> JSONValue {
    .of([
      "name": .string(name), "id": .null, "updated_at": .null, "created_at": .null,
      "last_accessed_at": .null, "metadata": .null,
    ])
  }
}
