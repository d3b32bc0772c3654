#if Server
  import EventLog
  import Events

  /// The secret key of a server's signed links: 32 random bytes in the file `link.key` of the log's
  /// folder, which only its owner may read.
  ///
  /// A person with the key can sign links as any user, so backups leave the file out. Without the
  /// file, the server creates a new key, and earlier links are invalid.
  struct LinkKey: Sendable {
    private static let size = 32
    private let bytes: [UInt8]

    /// Reads the key, or creates it.
    /// - Parameters:
    ///   - folder: the log's folder.
    ///   - says: receives a note if the key cannot be stored or read. The key is then only in
    ///     memory, and links end with the process.
    init(in folder: String, files: FileSystem = .posix, says: (String) -> Void) {
      let path = folder + "/link.key"
      func random() -> [UInt8] { (0..<Self.size).map { _ in .random(in: .min ... .max) } }
      do throws(FileError) {
        if let stored = try ifFound(try files.contents(of: path, limit: Self.size + 1)) {
          if stored.count == Self.size {
            bytes = stored
            return
          }
          says("note: \(path) has another size than 32 bytes: delete it; \(Self.consequence)")
          bytes = random()
          return
        }
        let made = random()
        try files.replace(path, in: folder, made, as: .createPrivate)
        bytes = made
      } catch {
        says("note: the key of signed links cannot be kept: \(error); \(Self.consequence)")
        bytes = random()
      }
    }

    private static let consequence = "signed links end with this process"

    /// The tokens that this key signs, with HMAC-SHA256 (RFC 2104, computed by OpenSSL).
    var links: SignedLinks {
      SignedLinks { [bytes] text in hmacSHA256(text, key: bytes) }
    }
  }
#endif
