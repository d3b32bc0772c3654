#if Server
  import CServer
  import Events

  /// A JSON Web Token whose signature is checked with keys (RFC 7515).
  enum SignedToken {
    private static let longest = 8_192

    /// Checks a token's signature with each key, and its claims with `check`.
    ///
    /// libjwt checks the signature. This function checks that the token uses the algorithm for
    /// which the key is meant.
    /// - Returns: the result of the first `check` that does not throw.
    static func checked<T>(
      _ token: String, with keys: [TokenKey],
      _ check: (JSONValue, TokenKey) throws(TokenFault) -> T
    ) throws(TokenFault) -> T {
      guard token.utf8.count <= longest else { throw TokenFault("the token is too long") }
      var fault = TokenFault("the token's signature does not match a key of this server")
      for key in keys {
        var decoded: OpaquePointer?
        guard jwt_decode(&decoded, token, key.bytes, Int32(key.bytes.count)) == 0, let decoded
        else { continue }
        defer { jwt_free(decoded) }
        // libjwt uses the algorithm that the token names. Without this check, a public key could
        // serve as a secret.
        guard jwt_get_alg(decoded) == key.algorithm.identifier else { continue }
        if let id = key.id, let named = jwt_get_header(decoded, "kid"),
          String(cString: named) != id
        {
          continue
        }
        // RFC 7515, 4.1.11: a token that requires an unsupported extension must be refused.
        if let extensions = jwt_get_headers_json(decoded, "crit") {
          free(extensions)
          throw TokenFault("the token's crit requires an extension that is not supported")
        }
        do throws(TokenFault) {
          return try check(claims(decoded), key)
        } catch {
          fault = error
        }
      }
      throw fault
    }

    private static func claims(_ token: OpaquePointer) throws(TokenFault) -> JSONValue {
      guard let text = jwt_get_grants_json(token, nil) else {
        throw TokenFault("the token has no claims")
      }
      defer { free(text) }
      guard let claims = try? JSONValue(String(cString: text)) else {
        throw TokenFault("the token's claims cannot be read")
      }
      return claims
    }

    /// Returns the time at which a token expires, or its key if that is earlier.
    /// - Throws: if the token has no `exp`, is not valid yet, or is valid for too long; or if it or
    ///   its key has expired.
    static func expiry(
      _ claims: JSONValue, _ key: TokenKey, now: Timestamp
    ) throws(TokenFault) -> Timestamp {
      guard let expires = time(claims["exp"]) else {
        throw TokenFault("the token has no exp; a token must expire")
      }
      if expires <= now { throw .hasExpired }
      if let end = key.validUntil, end <= now {
        throw TokenFault("the token's key is no longer in use")
      }
      if let longest = key.use.longestLifetime,
        expires.milliseconds - now.milliseconds > Int64(longest) * 1_000
      {
        throw TokenFault("the token's exp is more than \(longest) seconds from now")
      }
      if let begins = claims["nbf"] {
        guard let begins = time(begins), begins <= now else {
          throw TokenFault("the token is not valid yet: see its nbf")
        }
      }
      return min(expires, key.validUntil ?? expires)
    }

    /// Returns whether a token is for an audience: whether its `aud` is or contains it.
    static func isFor(_ audience: String, _ claims: JSONValue) -> Bool {
      switch claims["aud"] {
      case .string(audience): true
      case .array(let all): all.contains(.string(audience))
      default: false
      }
    }

    /// Reads a NumericDate: seconds since 1970, perhaps with a fraction.
    private static func time(_ value: JSONValue?) -> Timestamp? {
      guard case .number(let text)? = value, let seconds = Double(text),
        (0...253_402_300_799).contains(seconds)
      else { return nil }
      return Timestamp(milliseconds: Int64(seconds * 1_000))
    }
  }
#endif
