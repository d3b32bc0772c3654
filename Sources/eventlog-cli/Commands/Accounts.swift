#if Server
  import Server
#endif

extension Subcommand {
  static let accounts = Subcommand(
    name: "accounts", summary: "List, add, disable or remove the accounts of a server",
    arguments: "list|add|enable|disable|remove|rotate-key [WHO]", positionals: 1...2,
    discussion: """
      The accounts are the people who can sign in to 'eventlog serve --supabase --accounts FILE'. \
      WHO is an address or an id. A running server notices changes within a second.

      list prints the accounts by id. add reads the password from standard input, one line, and \
      prints the new id; without a password, the person signs in with a code, Apple or Google. \
      disable ends an account's sessions, and refuses its tokens until enable. remove deletes the \
      account, but nothing in the log: for that, use 'eventlog forget'. rotate-key makes a new \
      signing key; send SIGHUP to the server afterwards. Earlier tokens stay valid until they \
      expire, unless --revoke is given. docs/accounts.md has more.
      """,
    options: [
      .value("--accounts", "FILE", "The accounts: an SQLite file, as in 'eventlog serve'."),
      .value("--id", "UUID", "add: the id; a random one if not given."),
      .flag("--no-password", "add: read no password."),
      .flag("--revoke", "rotate-key: refuse the tokens of the earlier key at once."),
      .limit, .format,
    ],
    examples: [
      "eventlog accounts list --accounts my.log.accounts": "Show all accounts.",
      "eventlog accounts add ann@example.org --accounts my.log.accounts < password":
        "Add an account; the file has the password in its first line.",
      "eventlog accounts disable ann@example.org --accounts my.log.accounts":
        "End all sessions of an account, and refuse sign-ins.",
    ],
    run: { try runAccounts($0) })
}

#if Server
  private func runAccounts(_ invocation: Invocation) throws {
    guard let path = invocation.value("--accounts") else {
      throw Failure.usage("accounts needs --accounts FILE")
    }
    let verb = invocation.positionals[0]
    let who = invocation.positionals.dropFirst().first
    guard ["list", "add", "enable", "disable", "remove", "rotate-key"].contains(verb) else {
      throw Failure.usage(
        "accounts takes list, add, enable, disable, remove or rotate-key, not \(quoted(verb))")
    }
    if let who, ["list", "rotate-key"].contains(verb) {
      throw Failure.usage("accounts \(verb) does not expect \(quoted(who))")
    }
    if verb != "add" { try checkExists(path) }
    switch verb {
    case "list": try list(AccountFile(path), invocation)
    case "rotate-key":
      try Accounts.rotateKey(of: path, revokes: invocation.flag("--revoke"))
      Output.remark("\(path) has a new signing key; send SIGHUP to the server")
    default:
      guard let who else { throw Failure.usage("accounts \(verb) needs an address or an id") }
      let file = try AccountFile(path)
      if verb == "add" {
        try add(who, to: file, invocation)
      } else {
        try change(who, verb, file)
      }
    }
  }

  private func list(_ file: AccountFile, _ invocation: Invocation) throws {
    let format = try invocation.format()
    var left = try invocation.rowLimit() ?? .max
    var rows = RowStream(
      [
        .text("id"), .text("email"), .text("providers"), .truth("confirmed"), .truth("disabled"),
        .text("created"), .text("lastSignIn", "LAST SIGN-IN"),
      ], format)
    var last = ""
    while left > 0 {
      let page = try file.accounts(after: last, limit: min(left, 1_000))
      guard let end = page.last else { break }
      for account in page {
        rows.add([
          .text(account.id), .optional(account.email),
          .text(account.providers.joined(separator: " ")), .bool(account.confirmed != nil),
          .bool(account.disabled != nil), .text("\(account.created)"),
          .optional(account.signedIn.map { "\($0)" }),
        ])
      }
      (last, left) = (end.id, left - page.count)
    }
    rows.finish()
  }

  private func checkExists(_ path: String) throws {
    do throws(FileError) {
      _ = try FileSystem.posix.status(path)
    } catch {
      throw Failure(.noInput, "\(path): there are no accounts: \(error)")
    }
  }

  private func add(_ email: String, to file: AccountFile, _ invocation: Invocation) throws {
    guard let address = Accounts.address(email) else {
      throw Failure.usage("\(quoted(email)) is not an address such as ann@example.org")
    }
    var id: String?
    if let text = invocation.value("--id") {
      guard EventID(text) != nil else { throw Failure.usage("--id takes a UUID") }
      id = text.lowercased()
    }
    var password: String?
    if !invocation.flag("--no-password") {
      if isatty(STDIN_FILENO) == 1 { Output.error("eventlog: the password (it is shown): ") }
      guard let line = readLine(), !line.isEmpty else {
        throw Failure.usage("the password is read from standard input, which is empty")
      }
      password = line
    }
    guard let added = try Accounts.add(address, password: password, id: id, to: file) else {
      throw Failure(.refused, "there is an account with this address or id already")
    }
    Output.line(added)
  }

  private func change(_ who: String, _ verb: String, _ file: AccountFile) throws {
    let now = RuntimeEnvironment.system.now()
    let found =
      if let email = Accounts.address(who) {
        try file.account(email: email)
      } else {
        try file.account(id: who.lowercased())
      }
    guard let account = found else { throw Failure(.refused, "there is no account \(quoted(who))") }
    let isDone =
      switch verb {
      case "enable": try file.setDisabled(nil, account.id, now: now)
      case "disable": try file.setDisabled(now, account.id, now: now)
      default: try file.remove(account.id, now: now)
      }
    if !isDone { throw Failure(.refused, "there is no account \(quoted(who))") }
    if verb == "remove", try !file.dropOldVersions(patience: 5_000) {
      throw Failure(
        .inputOutput,
        "the account is removed, but another program reads \(file.path), so that the address is "
          + "still in it. A running server deletes it later. Otherwise end the other program, and "
          + "run 'eventlog accounts list'")
    }
  }
#else
  private func runAccounts(_ invocation: Invocation) throws {
    throw Failure(.usage, withoutServer)
  }
#endif
