#if Server
  import CServer

  /// A password's hash by scrypt (RFC 7914), with its parameters and its salt.
  ///
  /// Its text is `scrypt:15:8:3:SALT:KEY`: the binary logarithm of N, then r, p, and hexadecimal
  /// digits. One hash takes about 32 MiB and a quarter of a second.
  struct PasswordHash: Equatable, Sendable {
    /// The cost of a hash.
    struct Cost: Equatable, Sendable {
      /// The binary logarithm of N.
      var n: Int
      var r: Int
      var p: Int

      /// The cost that OWASP recommends for 32 MiB of memory.
      static let current = Cost(n: 15, r: 8, p: 3)

      /// Whether a hash of this cost is computed: at most 256 MiB of memory.
      fileprivate var isBearable: Bool {
        (1...24).contains(n) && (1...64).contains(r) && (1...64).contains(p) && r << n <= 1 << 21
      }
    }

    private(set) var cost: Cost
    private var salt: String
    private var key: String

    /// Hashes a password with a random salt of 16 bytes.
    init(_ password: String) throws(AccountFault) {
      (cost, salt) = (.current, hex(try randomBytes(16)))
      key = try Self.derived(password, salt, cost)
    }

    /// Reads a hash; nil if the text has another form.
    init?(text: String) {
      let parts = text.split(separator: ":")
      guard parts.count == 6, parts[0] == "scrypt", let n = Int(parts[1]), let r = Int(parts[2]),
        let p = Int(parts[3])
      else { return nil }
      (cost, salt, key) = (Cost(n: n, r: r, p: p), String(parts[4]), String(parts[5]))
      guard cost.isBearable, !salt.isEmpty, key.utf8.count == 64 else { return nil }
    }

    var text: String { "scrypt:\(cost.n):\(cost.r):\(cost.p):\(salt):\(key)" }

    /// A hash that no password has. Comparing with it takes as long as with an account's hash.
    static let nobody = PasswordHash(
      cost: .current, salt: String(repeating: "0", count: 32),
      key: String(repeating: "x", count: 64))

    private init(cost: Cost, salt: String, key: String) {
      (self.cost, self.salt, self.key) = (cost, salt, key)
    }

    /// Returns whether a password has this hash.
    func matches(_ password: String) throws(AccountFault) -> Bool {
      isEqual(try Self.derived(password, salt, cost), key)
    }

    private static func derived(
      _ password: String, _ salt: String, _ cost: Cost
    ) throws(AccountFault) -> String {
      var key = [UInt8](repeating: 0, count: 32)
      let (password, salt) = (Array(password.utf8).map { CChar(bitPattern: $0) }, Array(salt.utf8))
      let isDerived = server_scrypt(
        password, password.count, salt, salt.count, 1 << UInt64(cost.n), UInt64(cost.r),
        UInt64(cost.p), &key)
      guard isDerived == 1 else { throw AccountFault("a password cannot be hashed: no memory") }
      return hex(key)
    }
  }
#endif
