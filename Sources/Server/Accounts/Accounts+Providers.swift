#if Server
  import Events

  // Sign-in with a token of Apple or Google.
  extension Accounts {
    /// Signs in with a provider's token, and creates an account at the first time.
    func signInByProvider(_ request: Request) throws(AccountFault) -> Response {
      let now = options.now()
      try limits.count(.signIn, from: request.address, now: now)
      let fields = try fields(request)
      guard let token = Self.text(fields, "id_token"), let name = Self.text(fields, "provider")
      else { throw .invalid("id_token and provider are required") }
      guard let provider = providers.withLock({ $0.first { $0.name == name } }) else {
        throw .refused(400, "provider_disabled", "Provider is not enabled")
      }
      let nonce = Self.text(fields, "nonce").flatMap { $0.isEmpty ? nil : $0 }
      let person = try provider.person(token, nonce: nonce, now: now)
      // Another request of the same person may create the account meanwhile.
      for _ in 0..<2 {
        if let account = try account(of: person, at: name, now) {
          return try newSession(account, method: "oauth", now)
        }
      }
      throw .refused(409, "conflict", "another request creates the same account; try again")
    }

    /// Returns the account of a provider's person. If there is none, links the account with the
    /// person's address if both sides have verified it; otherwise creates an account.
    /// - Returns: nil if the account could not be created, because another request was first.
    private func account(
      of person: IdentityProvider.Person, at provider: String, _ now: Timestamp
    ) throws(AccountFault) -> Account? {
      var identity = Account.Identity(
        provider: provider, subject: person.subject, id: try randomUUID(), data: person.data,
        created: now, signedIn: now)
      if let account = try file.account(provider: provider, subject: person.subject) {
        // Apple states the address only at the first time.
        let known = account.identities.first {
          $0.provider == provider && $0.subject == person.subject
        }
        identity.data = try Self.merged(known?.data ?? .object([]), person.data)
        return try file.link(identity, to: account.id) ? try file.account(id: account.id) : nil
      }
      var email = person.isVerified ? person.email : nil
      if let address = email, let existing = try file.account(email: address) {
        if existing.isProven, existing.confirmed != nil {
          if existing.disabled != nil { throw .disabled }
          return try file.link(identity, to: existing.id)
            ? try file.account(id: existing.id) : nil
        }
        // Nobody has shown that the address is theirs, so that account keeps it.
        email = nil
      }
      var account = try Self.new(nil, now: now)
      (account.email, account.isProven, account.confirmed) = (email, email != nil, now)
      account.identities = [identity]
      account.metadata = Self.metadata(person.data)
      return try file.add(account) ? account : nil
    }

    /// Returns the metadata of a new account, under the names that Supabase's clients read.
    private static func metadata(_ data: JSONValue) -> JSONValue {
      var members: [JSONValue.Member] = []
      for (name, copies) in [
        ("name", ["name", "full_name"]), ("picture", ["picture", "avatar_url"]),
      ] {
        guard let value = text(data, name) else { continue }
        for copy in copies { members.append(.init(copy, .string(value))) }
      }
      return .object(members)
    }
  }
#endif
