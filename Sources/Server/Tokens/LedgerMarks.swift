#if Server
  import EventLog
  import Events

  /// A generator of marks: keyed hashes that stand for the erased people and items in a log's
  /// ledger.
  ///
  /// A mark is an HMAC-SHA256 (RFC 2104, computed by OpenSSL) with a secret that the operator keeps
  /// elsewhere. Without the secret, a mark identifies nobody.
  public struct LedgerMarks: Sendable {
    /// The reason why a key file cannot be used.
    public struct Fault: Error, Sendable {
      /// A sentence for the operator.
      public var message: String
    }

    private let key: [UInt8]

    /// Reads the secret from a file.
    /// - Parameter keyFile: a file of at least 32 bytes, not counting one line feed at its end.
    public init(keyFile: String) throws(Fault) {
      do throws(FileError) {
        var key = try FileSystem.posix.contents(of: keyFile, limit: 1 << 16)
        if key.last == UInt8(ascii: "\n") { key.removeLast() }
        self.key = key
      } catch {
        throw Fault(message: "\(error)")
      }
      if key.count < 32 {
        throw Fault(
          message: "\(keyFile): the secret has \(key.count) bytes; at least 32 are needed")
      }
    }

    /// Returns the keyed hash of a subject such as `person/ann`, as 64 hexadecimal digits. See
    /// `ForgettingRequest.subjects`.
    @Sendable public func mark(_ subject: String) -> String {
      hex(hmacSHA256(Array(subject.utf8), key: key))
    }
  }
#endif
