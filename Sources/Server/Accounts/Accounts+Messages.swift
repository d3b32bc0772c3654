#if Server
  import Events

  // Messages with one-time codes. The answers are the same for known and unknown addresses, and
  // everything that depends on the address happens after the answer.
  extension Accounts {
    /// The time for which a code is valid, in milliseconds: one hour.
    private static let codeLifetime: Int64 = 3_600_000

    /// Sends a code to sign in with. Creates an account for an unknown address, unless
    /// `create_user` is false.
    func sendCode(_ request: Request) throws(AccountFault) -> Response {
      let (fields, email, now) = try addressee(request)
      let metadata = try Self.merged(.object([]), fields["data"])
      let creates = fields["create_user"] != .bool(false)
      try afterwards { [self] () throws(AccountFault) in
        if let account = try file.account(email: email) {
          try send(.magiclink, account, to: email, now)
        } else if creates {
          var account = try Self.new(email, now: now)
          account.metadata = metadata
          if try file.add(account) { try send(.magiclink, account, to: email, now) }
        }
      }
      return .json(.object([]))
    }

    /// Sends a code with which a person who forgot the password can sign in and change it.
    func recover(_ request: Request) throws(AccountFault) -> Response {
      let (_, email, now) = try addressee(request)
      try afterwards { [self] () throws(AccountFault) in
        if let account = try file.account(email: email) {
          try send(.recovery, account, to: email, now)
        }
      }
      return .json(.object([]))
    }

    /// Sends a new code for a sign-up or for a change of the address. The limit of the new address
    /// counts too. If it is reached, the answer is the same, but no message is sent.
    func resend(_ request: Request) throws(AccountFault) -> Response {
      let (fields, email, now) = try addressee(request)
      let purpose = Self.text(fields, "type").flatMap(AccountFile.Purpose.init)
      guard purpose == .signup || purpose == .emailChange else {
        throw .invalid("type must be signup or email_change")
      }
      try afterwards { [self] () throws(AccountFault) in
        guard let account = try file.account(email: email) else { return }
        if purpose == .signup, account.confirmed == nil {
          try send(.signup, account, to: email, now)
        } else if purpose == .emailChange, let newEmail = account.newEmail {
          try limits.count(.message, for: newEmail, now: now)
          try send(.emailChange, account, to: newEmail, now)
        }
      }
      return .json(.object([]))
    }

    /// Returns the fields and the address of a request for a message, and counts the request.
    private func addressee(
      _ request: Request
    ) throws(AccountFault) -> (JSONValue, String, Timestamp) {
      let now = options.now()
      try limits.count(.message, from: request.address, now: now)
      let fields = try fields(request)
      let email = try email(fields)
      if mail == nil {
        throw .refused(
          422, "otp_disabled", "this server sends no messages: it has no --mail-command")
      }
      try limits.count(.message, for: email, now: now)
      return (fields, email, now)
    }

    /// Makes a code, saves its hashes, and sends it to an address.
    func send(
      _ purpose: AccountFile.Purpose, _ account: Account, to email: String, _ now: Timestamp
    ) throws(AccountFault) {
      guard let mail, account.disabled == nil else { return }
      let (code, link) = (try randomCode(), try randomToken())
      try file.save(
        AccountFile.Code(
          user: account.id, purpose: purpose, email: email,
          code: codeHash(code, purpose, email), link: hashed(link), sent: now,
          expires: Timestamp(milliseconds: now.milliseconds + Self.codeLifetime)))
      let subject =
        switch purpose {
        case .signup: "Confirm your sign-up"
        case .magiclink: "Your code to sign in"
        case .recovery: "Reset your password"
        case .emailChange: "Confirm your new address"
        }
      var lines = ["Your code: \(code)", ""]
      if let url = options.publicURL {
        lines += [
          "Or follow this link:",
          "\(url)/auth/v1/verify?token=\(link)&type=\(purpose.rawValue)", "",
        ]
      }
      lines.append("It is valid for one hour. If you did not ask for it, ignore this message.")
      mail.send(.init(to: email, subject: subject, lines: lines))
    }

    /// Returns the hash of a code. The accounts' file alone does not suffice to guess the code,
    /// because the hash has a key.
    func codeHash(_ code: String, _ purpose: AccountFile.Purpose, _ email: String) -> String {
      keyedHash("\(purpose.rawValue) \(email) \(code)", tokens.secret)
    }
  }
#endif
