#if Server
  import Events

  /// An account: a person who can sign in.
  public struct Account: Equatable, Sendable {
    /// A way to sign in: an address, or an account at Apple or Google.
    struct Identity: Equatable, Sendable {
      /// `email`, `apple` or `google`.
      var provider: String
      /// The provider's id of the person; for `email` the account's id.
      var subject: String
      /// The id of this identity.
      var id: String
      /// The facts that the provider states, such as `email` and `email_verified`.
      var data: JSONValue
      var created: Timestamp
      var signedIn: Timestamp

      /// Returns whether the identity is the account's own address, or the provider verified that
      /// the person has this address.
      func belongs(to email: String) -> Bool {
        if provider == "email" { return true }
        guard case .string(let own)? = data["email"], Accounts.address(own) == email else {
          return false
        }
        return data["email_verified"] == .bool(true) || data["email_verified"] == .string("true")
      }
    }

    /// The id: a UUID in lower case. It is the `sub` of access tokens and the user's id in the log.
    public var id: String
    /// The address in lower case; nil if the account has none of its own.
    public var email: String?
    var password: PasswordHash?
    /// When the account was confirmed; nil if it cannot be used yet.
    public var confirmed: Timestamp?
    /// Whether the person has shown that the address is theirs: by a code, or by a provider.
    public var isProven = false
    /// The person's own data, a JSON object. It never decides about rights.
    var metadata = JSONValue.object([])
    /// When the operator disabled the account; nil if it is not disabled.
    public var disabled: Timestamp?
    /// When the account was created.
    public var created: Timestamp
    var updated: Timestamp
    /// The last sign-in; nil if there was none.
    public var signedIn: Timestamp?
    var identities: [Identity] = []
    /// A new address that the person has not confirmed yet.
    var newEmail: String?

    /// The names of the providers with which the person can sign in, sorted.
    public var providers: [String] { identities.map(\.provider).sorted() }

    /// The account in GoTrue's form.
    var json: JSONValue {
      var members: [JSONValue.Member] = [
        .init("id", .string(id)), .init("aud", .string(AccessTokens.role)),
        .init("role", .string(AccessTokens.role)), .init("email", .string(email ?? "")),
        .init("phone", .string("")),
      ]
      for name in ["email_confirmed_at", "confirmed_at"] {
        if let confirmed { members.append(.init(name, .string("\(confirmed)"))) }
      }
      if let newEmail { members.append(.init("new_email", .string(newEmail))) }
      if let signedIn { members.append(.init("last_sign_in_at", .string("\(signedIn)"))) }
      members += [
        .init("app_metadata", appMetadata), .init("user_metadata", metadata),
        .init("identities", .array(identities.map { json(of: $0) })),
        .init("created_at", .string("\(created)")), .init("updated_at", .string("\(updated)")),
        .init("is_anonymous", .bool(false)),
      ]
      return .object(members)
    }

    /// The facts about the account that the server decides.
    var appMetadata: JSONValue {
      .of([
        "provider": .string(identities.first?.provider ?? "email"),
        "providers": .array(identities.map { .string($0.provider) }),
      ])
    }

    /// Returns the facts that a provider states. About an account's own address, these are the
    /// account's.
    private func data(of identity: Identity) -> JSONValue {
      guard identity.provider == "email" else { return identity.data }
      return .of([
        "email": .string(email ?? ""), "email_verified": .bool(isProven), "sub": .string(id),
      ])
    }

    private func json(of identity: Identity) -> JSONValue {
      .of([
        "identity_id": .string(identity.id), "id": .string(identity.subject),
        "user_id": .string(id), "identity_data": data(of: identity),
        "provider": .string(identity.provider), "created_at": .string("\(identity.created)"),
        "last_sign_in_at": .string("\(identity.signedIn)"),
        "updated_at": .string("\(identity.signedIn)"),
      ])
    }
  }

  /// A signed-in device: the family of refresh tokens that descend from one sign-in.
  struct AccountSession: Equatable, Sendable {
    var id: String
    var user: String
    /// How the person signed in: `password`, `otp`, `oauth` and the like.
    var method: String
    var created: Timestamp
  }
#endif
