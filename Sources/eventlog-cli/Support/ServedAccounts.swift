#if Server
  import Server

  extension Invocation {
    /// The options of `serve` that need `--accounts`.
    private static let accountOptions = [
      "--token-lifetime", "--mail-command", "--redirect-url", "--apple-audience", "--apple-keys",
      "--google-audience", "--google-keys", "--account-limits",
    ]

    /// Opens the accounts in `--accounts`; nil if the option is not given.
    func accounts() throws(Failure) -> Accounts? {
      guard let path = value("--accounts") else {
        for option in Self.accountOptions where value(option) != nil {
          throw .usage("\(option) needs --accounts FILE")
        }
        return nil
      }
      if flag("--insecure-users") {
        throw .usage("--insecure-users and --accounts cannot be used together")
      }
      var options = Accounts.Options()
      options.publicURL = try publicURL(self)
      options.mailCommand = value("--mail-command")
      options.redirects = try redirects()
      options.tokenLifetime = try int(
        "--token-lifetime", default: options.tokenLifetime,
        in: 1...AccountFile.longestTokenLifetime)
      options.limitFactor = try int("--account-limits", default: 1, in: 0...1_000_000)
      options.providers = try providers()
      options.apiKey = value("--api-key")
      options.threads = coreCount()
      options.says = { Output.remark($0) }
      do throws(AccountFault) {
        return try Accounts(path, options)
      } catch {
        throw Failure(.usage, error.description)
      }
    }

    private func redirects() throws(Failure) -> [String] {
      let urls = values("--redirect-url")
      for url in urls {
        let isAddress =
          url.contains("://") && !url.contains("#")
          && url.utf8.allSatisfy { (0x21...0x7e).contains($0) }
        guard isAddress else {
          throw .usage(
            "--redirect-url takes an address such as https://app.example.org or myapp://signed-in, "
              + "without #, not \(quoted(url))")
        }
      }
      return urls
    }

    private func providers() throws(Failure) -> [IdentityProvider] {
      var providers: [IdentityProvider] = []
      for name in ["apple", "google"] {
        let (audiences, keys) = (values("--\(name)-audience"), value("--\(name)-keys"))
        if audiences.isEmpty, keys == nil { continue }
        guard let keys, !audiences.isEmpty else {
          throw .usage("--\(name)-audience and --\(name)-keys are needed together")
        }
        do throws(TokenKeyFault) {
          providers.append(
            name == "apple"
              ? try .apple(audiences: audiences, keyFile: keys)
              : try .google(audiences: audiences, keyFile: keys))
        } catch {
          throw .usage("--\(name)-keys: \(error.message)")
        }
      }
      return providers
    }
  }
#endif
