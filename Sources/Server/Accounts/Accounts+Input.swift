#if Server
  import Events

  // The fields of requests, and their checks. Unknown fields are ignored.
  extension Accounts {
    /// The length of a password: at least 8 characters, at most 1,024 bytes of UTF-8.
    static let passwordLength = 8...1_024
    /// The largest metadata of an account, in bytes of JSON: 16 KiB.
    static let mostMetadata = 16 << 10

    /// Returns a request's body, which must be a JSON object.
    func fields(_ request: Request) throws(AccountFault) -> JSONValue {
      guard let fields = try? JSONValue(object: request.body) else {
        throw .refused(400, "bad_json", "Could not parse request body as JSON: an object is needed")
      }
      return fields
    }

    /// Returns the address in a request's body.
    func email(_ fields: JSONValue) throws(AccountFault) -> String {
      guard let text = Self.text(fields, "email"), !text.isEmpty else {
        if let phone = Self.text(fields, "phone"), !phone.isEmpty {
          throw .refused(400, "phone_provider_disabled", "Phone numbers are not supported")
        }
        throw .invalid("An email address is required")
      }
      guard let email = Self.address(text) else {
        throw .invalid("Unable to validate email address: invalid format")
      }
      return email
    }

    /// Returns a text field; nil if it is missing or is not a text.
    static func text(_ fields: JSONValue, _ name: String) -> String? {
      if case .string(let text)? = fields[name] { text } else { nil }
    }

    /// Returns an address in lower case, without white space around it; nil if it is not an address
    /// in ASCII, such as `ann@example.org`. So an address cannot contain a line's end, a second
    /// address, or a letter that only resembles another. Nor can a program take it for an option.
    public static func address(_ text: String) -> String? {
      let words = text.split(separator: " ")
      // In lower case, the Kelvin sign would be an ASCII letter.
      guard words.count == 1, words[0].utf8.allSatisfy({ $0 < 0x80 && $0 != 0 }) else {
        return nil
      }
      let address = words[0].lowercased()
      let parts = address.utf8.split(separator: 0x40, omittingEmptySubsequences: false)
      guard parts.count == 2, (1...64).contains(parts[0].count), address.utf8.count <= 254,
        parts[0].first != 0x2d,
        parts[0].allSatisfy({ isAlphanumeric($0) || ".!#$%&'*+/=?^_`{|}~-".utf8.contains($0) })
      else { return nil }
      let labels = parts[1].split(separator: 0x2e, omittingEmptySubsequences: false)
      let isName = labels.allSatisfy { label in
        (1...63).contains(label.count) && label.first != 0x2d && label.last != 0x2d
          && label.allSatisfy { isAlphanumeric($0) || $0 == 0x2d }
      }
      return isName && labels.count > 1 ? address : nil
    }

    /// Checks the length of a new password.
    public static func check(password: String) throws(AccountFault) {
      guard password.utf8.count <= passwordLength.upperBound else {
        throw .invalid("A password can have at most \(passwordLength.upperBound) bytes")
      }
      guard password.count >= passwordLength.lowerBound else {
        throw .weakPassword(
          "Password should be at least \(passwordLength.lowerBound) characters.")
      }
    }

    /// Returns metadata with the fields of a request's `data`. A field that is null is removed.
    static func merged(
      _ metadata: JSONValue, _ data: JSONValue?
    ) throws(AccountFault) -> JSONValue {
      guard let data, data != .null else { return metadata }
      guard case .object(let changes) = data, case .object(var members) = metadata else {
        throw .invalid("data must be a JSON object")
      }
      let names = Set(changes.map(\.name))
      members.removeAll { names.contains($0.name) }
      members += changes.filter { $0.value != .null }
      let merged = JSONValue.object(members)
      guard merged.text.utf8.count <= mostMetadata else {
        throw .invalid("data can have at most \(mostMetadata) bytes")
      }
      return merged
    }

    /// The caller of a request with an access token of these accounts.
    struct Caller: Sendable {
      var account: Account
      var session: String
    }

    /// Returns the caller. The token must be valid, and its session and account must still exist.
    func signedIn(_ request: Request) throws(AccountFault) -> Caller {
      let now = options.now()
      try limits.count(.user, from: request.address, now: now)
      guard let token = request.head[.authorization].flatMap(Service.bearerToken) else {
        throw .refused(401, "no_authorization", "This endpoint requires a valid Bearer token")
      }
      let (user, session): (String, String)
      do throws(TokenFault) {
        (user, session) = try SignedToken.checked(token, with: tokens.keys) {
          (claims, key) throws(TokenFault) in
          _ = try SignedToken.expiry(claims, key, now: now)
          guard claims["iss"] == .string(tokens.issuer),
            SignedToken.isFor(AccessTokens.role, claims),
            let user = Self.text(claims, "sub"), let session = Self.text(claims, "session_id")
          else { throw TokenFault("the token is not an access token of this server") }
          return (user, session)
        }
      } catch {
        throw .refused(403, "bad_jwt", "invalid JWT: \(error.message)")
      }
      guard let account = try file.account(id: user) else {
        throw .refused(403, "user_not_found", "User from sub claim in JWT does not exist")
      }
      if account.disabled != nil { throw .refused(403, "user_banned", "User is banned") }
      guard try file.session(session, of: user) != nil else {
        throw .refused(
          403, "session_not_found", "Session from session_id claim in JWT does not exist")
      }
      return Caller(account: account, session: session)
    }
  }
#endif
