#if Server
  import EventLog
  import Events
  import UseCases

  extension Listener {
    /// Serves a log until `isStopped`, until another server takes over, or until the log is
    /// rewritten. Then waits for the requests under way, and after a stop saves a checkpoint.
    /// - Parameters:
    ///   - path: the log's folder.
    ///   - place: where to listen. If the function returns because the log was rewritten, new
    ///     connections wait at its socket.
    ///   - predecessor: the server from which this one takes over.
    ///   - peers: where the other servers of a shared log reach this server.
    ///   - patience: the longest wait for requests under way, in seconds.
    ///   - tick: called every 20 ms.
    ///   - says: receives notes for the operator, one sentence each.
    /// - Returns: whether the log must be opened again and served further. Then it is closed.
    package static func serve(
      _ core: Core, _ log: FileLog, in path: String, photos: PhotoPorts, photoFolder: String,
      tokens: (any Authenticator)?, options: Service.Options, at place: inout ListeningPlace,
      peers: PeerAddress = PeerAddress(), after predecessor: Predecessor? = nil, patience: Int,
      isStopped: () -> Bool, tick: () -> Void = {}, says: @escaping @Sendable (String) -> Void
    ) async throws(Fault) -> Bool {
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
      let socket = try place.listen()
      let listener = try Listener(service, socket)
      predecessor?.confirm()
      says("listening on http://\(socket.address)")
      // Servers of a shared log pass the lease on instead.
      let successor = log.remote == nil ? Successor(of: path, says: says) : nil
      let sweeps = sweeps(core, photos, options.accounts, path, says)
      let following = Task { await service.follow() }
      let isAsked = await wait(
        service, log, successor, at: socket, isStopped: isStopped, tick: tick)
      let stops = isStopped() && !isAsked
      says(
        isAsked
          ? "another server takes over"
          : stops ? "stopping" : "the log was rewritten: opening it again")
      listener.quiesce(keepsSocket: !stops)
      if isAsked {
        successor?.give(socket)
        // Clients with an open connection go to the successor after their next answer.
        try? await Task.sleep(for: .milliseconds(100))
      }
      service.end()
      await membership?.leave()
      for task in sweeps + [following] { task.cancel() }
      await drain(service, patience: patience, onlyCommands: isAsked)
      for sweep in sweeps { await sweep.value }
      successor?.endListening()
      var isTakenOver = false
      if let successor, isAsked {
        isTakenOver = await handOver(service, log, to: successor, says)
        await drain(service, patience: patience)
      }
      let left = service.underWay
      membership?.end(isIdle: left == 0)
      listener.end(left: left, says)
      // The server that took over saves checkpoints, and this one must not disturb it.
      if isTakenOver { return false }
      if isStopped() {
        await saveCheckpoint(core, says)
        return false
      }
      log.close()
      return true
    }

    /// Stops, unless requests are left without an answer. Their threads end with the process.
    private func end(left: Int, _ says: (String) -> Void) {
      if left == 0 { return stop() }
      _ = Unmanaged.passRetained(self)
      says("\(left) \(left == 1 ? "request" : "requests") not answered in time")
    }

    /// Starts to remove photos and accounts of deleted accounts, until the tasks are cancelled.
    private static func sweeps(
      _ core: Core, _ photos: PhotoPorts, _ accounts: Accounts?, _ path: String,
      _ says: @escaping @Sendable (String) -> Void
    ) -> [Task<Void, Never>] {
      let photoSweeping = Task {
        var sweep = PhotoSweep(core, photos.storage)
        await sweep.keepRunning { says("note: photos were not removed: \($0)") }
      }
      guard let accounts else { return [photoSweeping] }
      let accountSweeping = Task {
        var sweep = AccountSweep(core, accounts, folder: path)
        await sweep.keepRunning()
      }
      return [photoSweeping, accountSweeping]
    }

    private static func saveCheckpoint(_ core: Core, _ says: (String) -> Void) async {
      // If the log was rewritten just before the stop, it refuses the old core's checkpoint.
      do throws(LogError) {
        _ = try await core.saveCheckpoint()
      } catch {
        says("note: no checkpoint was saved: \(error)")
      }
    }

    /// Closes the log for a successor. Returns whether the successor serves it.
    private static func handOver(
      _ service: Service, _ log: FileLog, to successor: Successor, _ says: (String) -> Void
    ) async -> Bool {
      service.release()
      log.close()
      let isTakenOver = await successor.serves()
      says(isTakenOver ? "the other server has taken over" : "the other server failed: going on")
      return isTakenOver
    }

    /// Waits while the log can be served. Returns whether a successor asks to take over.
    private static func wait(
      _ service: Service, _ log: FileLog, _ successor: Successor?, at socket: ListeningSocket,
      isStopped: () -> Bool, tick: () -> Void
    ) async -> Bool {
      var beat = 0
      while !isStopped(), !service.wantsRestart, !log.isOutdated {
        if !service.isRewriting, successor?.asks(socket.address) == true { return true }
        try? await Task.sleep(for: .milliseconds(20))
        beat += 1
        if beat % 50 == 0 { service.beat() }
        tick()
      }
      return false
    }

    /// Waits for the requests under way, at most for `patience` seconds.
    /// - Parameter onlyCommands: whether to wait for no more than the commands after half a second.
    private static func drain(
      _ service: Service, patience: Int, onlyCommands: Bool = false
    ) async {
      let start = ContinuousClock.now
      while service.underWay > 0, ContinuousClock.now < start + .seconds(patience) {
        let isLong = ContinuousClock.now > start + .milliseconds(500)
        if onlyCommands, isLong, service.commands == 0 { return }
        try? await Task.sleep(for: .milliseconds(5))
      }
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
