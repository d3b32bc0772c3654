#if Server
  import EventLog
  import Events
  import UseCases

  extension Listener {
    /// Serves a log until `isStopped` or until the log is rewritten, then waits for the requests
    /// under way.
    /// - Parameters:
    ///   - path: the log's folder.
    ///   - port: the port to listen on. 0 uses a free port, and is then set to that port's number.
    ///   - peers: where the other servers of a shared log reach this server.
    ///   - patience: the longest wait for requests under way, in seconds.
    ///   - tick: called every 20 ms.
    ///   - says: receives notes for the operator, one sentence each.
    /// - Returns: the number of requests that had no answer after `patience`. The threads of these
    ///   requests end with the process.
    package static func serve(
      _ core: Core, _ log: FileLog, in path: String, photos: PhotoPorts, photoFolder: String,
      tokens: (any Authenticator)?, options: Service.Options, host: String, port: inout UInt16,
      peers: PeerAddress = PeerAddress(), patience: Int, isStopped: () -> Bool,
      tick: () -> Void = {}, says: @escaping @Sendable (String) -> Void
    ) async throws(Fault) -> Int {
      var options = options
      options.forget = forgetting(core.rules, log, path, photos)
      if options.supabase?.hasStorage == true {
        options.links = LinkKey(in: path, says: says).links
      }
      let membership = try await PeerMembership(core, log, peers, now: options.now)
      options.peers = membership?.group
      let service = Service(
        core, log: log, logFolder: path, photos: photos, photoFolder: photoFolder,
        tokens: tokens ?? NoTokens(), options: options, digest: sha256)
      for ignored in core.ignoredStates { says("note: \(ignored); it is not used") }
      if let problem = RideRules.problem(with: core.rules) {
        says("note: /api/v1 is not served to clients of the ride app: \(problem)")
      }
      try membership?.begin(service, says: says)
      let listener = try Listener(service, host: host, port: port)
      port = listener.port
      says("listening on http://\(host.contains(":") ? "[\(host)]" : host):\(port)")
      let sweeping = Task {
        var sweep = PhotoSweep(core, photos.storage)
        await sweep.keepRunning { says("note: photos were not removed: \($0)") }
      }
      let accountSweeping = Task {
        guard let accounts = options.accounts else { return }
        var sweep = AccountSweep(core, accounts, folder: path)
        await sweep.keepRunning()
      }
      let following = Task { await service.follow() }
      var beat = 0
      while !isStopped(), !service.wantsRestart, !log.isOutdated {
        try? await Task.sleep(for: .milliseconds(20))
        beat += 1
        if beat % 50 == 0 { service.beat() }
        tick()
      }
      says(isStopped() ? "stopping" : "the log was rewritten: opening it again")
      listener.quiesce()
      service.end()
      await membership?.leave()
      following.cancel()
      let end = ContinuousClock.now + .seconds(patience)
      while service.underWay > 0, ContinuousClock.now < end {
        try? await Task.sleep(for: .milliseconds(5))
      }
      let left = service.underWay
      membership?.end(isIdle: left == 0)
      if left == 0 { listener.stop() } else { _ = Unmanaged.passRetained(listener) }
      sweeping.cancel()
      accountSweeping.cancel()
      await sweeping.value
      await accountSweeping.value
      return left
    }

    /// Returns the function that erases people and items from a log.
    private static func forgetting(
      _ rules: Rules, _ log: FileLog, _ path: String, _ photos: PhotoPorts
    ) -> @Sendable (ForgettingRequest) async -> Result<Forgetting.Report, ForgettingError> {
      { request in
        log.close()
        do throws(ForgettingError) {
          let remote = log.remote
          let report = try await Forgetting.whileOthersAppend { () throws(ForgettingError) in
            try await Forgetting.open(
              path: path, remote: remote, rules: rules, photos: photos.storage
            ).forget(request)
          }
          return .success(report)
        } catch {
          return .failure(error)
        }
      }
    }
  }
#endif
