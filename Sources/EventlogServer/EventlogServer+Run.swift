#if Server
  import Aggregates
  import Events
  import Server
  import UseCases

  extension EventlogServer {
    /// Serves the log until SIGTERM or Ctrl-C; opens it again after it was rewritten.
    /// - Throws: `Fault` if the log, the keys or the address cannot be used.
    public func run() async throws(Fault) {
      let tokens = try authenticator()
      StopSignal.take()
      var port = port
      while try await serveOnce(tokens, &port) {}
    }

    /// Does the same as `run`, and after a fault says what is wrong and ends the process with exit
    /// code 64.
    public func runOrExit() async {
      do throws(Fault) {
        try await run()
      } catch {
        says(error.message)
        StopSignal.exit(64)
      }
    }

    private func authenticator() throws(Fault) -> JSONWebTokens? {
      if trustsUserHeader {
        guard tokenKeys.isEmpty, Listener.isLoopback(host), cors != "*" else {
          throw Fault(
            message: "trustsUserHeader is for a loopback address, without tokenKeys and without "
              + "cors of any origin")
        }
        return nil
      }
      guard (1...2).contains(tokenKeys.count) else {
        throw Fault(message: "one or two files in tokenKeys are expected, or trustsUserHeader")
      }
      do throws(TokenKeyFault) {
        return try JSONWebTokens(paths: tokenKeys, audience: tokenAudience, issuer: tokenIssuer)
      } catch {
        throw Fault(message: error.message)
      }
    }

    private func opened() async throws(LogError) -> FileLog {
      guard let address = try Clone.address(of: log) else {
        let file = try FileLog(path: log, creating: true)
        try file.beginFirstSegment()
        return file
      }
      let remote: any RemoteLog
      if let given = self.remote {
        remote = given
      } else {
        remote = try FolderRemote(path: address)
      }
      return try await .open(clone: log, of: remote)
    }

    /// - Returns: whether the log was rewritten and is to be served again.
    private func serveOnce(
      _ tokens: JSONWebTokens?, _ port: inout UInt16
    ) async throws(Fault) -> Bool {
      let (core, file): (Core, FileLog)
      let options: Service.Options
      let ports: PhotoPorts
      let folder = photos ?? log + "/photos"
      do throws(LogError) {
        file = try await opened()
        if let recovery = file.recovery { says("recovered: \(recovery)") }
        core = try await .open(file, rules: rules, catalogue: catalogue, useCases: useCases)
        let prefix = publicURL.hasSuffix("/") ? String(publicURL.dropLast()) : publicURL
        ports = PhotoPorts(
          storage: PhotoFolder(folder, baseURL: prefix + "/storage/v1/object/public/"),
          encoder: defaultPhotoEncoder())
        options = try self.options(core, file, ports)
      } catch {
        throw Fault(message: "\(error)")
      }
      let service = Service(
        core, log: file, logFolder: log, photos: ports, photoFolder: folder,
        tokens: tokens ?? NoTokens(), options: options, digest: sha256)
      for ignored in core.ignoredStates { says("note: \(ignored); it is not used") }
      if let problem = RideRules.problem(with: core.rules) {
        says("note: /api/v1 is not served to clients of the ride app: \(problem)")
      }
      let listener: Listener
      do throws(Listener.Fault) {
        listener = try Listener(service, host: host, port: port)
      } catch {
        throw Fault(message: error.message)
      }
      port = listener.port
      says("listening on http://\(host.contains(":") ? "[\(host)]" : host):\(port)")
      let keeping = Task {
        var sweep = PhotoSweep(core, ports.storage)
        await sweep.keepRunning { self.says("note: photos were not removed: \($0)") }
      }
      await serve(service, file, listener)
      keeping.cancel()
      await keeping.value
      // A log that was rewritten at the last moment takes no checkpoint of the old core.
      if StopSignal.isGiven { _ = try? await core.saveCheckpoint() } else { file.close() }
      return !StopSignal.isGiven
    }

    private func options(
      _ core: Core, _ file: FileLog, _ ports: PhotoPorts
    ) throws(LogError) -> Service.Options {
      var options = Service.Options()
      options.bounds = bounds
      options.cors = cors
      options.trustsUserHeader = trustsUserHeader
      options.forget = { [path = log, rules = core.rules] request in
        file.close()
        do throws(ForgettingError) {
          let remote = file.remote
          return .success(
            try await Forgetting.whileOthersAppend { () throws(ForgettingError) in
              try await Forgetting.open(
                path: path, remote: remote, rules: rules, photos: ports.storage
              ).forget(request)
            })
        } catch {
          return .failure(error)
        }
      }
      return options
    }

    /// Serves until a signal asks to stop, or the log was rewritten; then ends what is under way.
    private func serve(_ service: Service, _ file: FileLog, _ listener: Listener) async {
      let following = Task { await service.follow() }
      var beat = 0
      while !StopSignal.isGiven, !service.wantsRestart, !file.isOutdated {
        try? await Task.sleep(for: .milliseconds(20))
        beat += 1
        if beat % 50 == 0 { service.beat() }
      }
      says(StopSignal.isGiven ? "stopping" : "the log was rewritten: opening it again")
      listener.quiesce()
      service.end()
      following.cancel()
      let end = ContinuousClock.now + .seconds(stopTimeout)
      while service.underWay > 0, ContinuousClock.now < end {
        try? await Task.sleep(for: .milliseconds(5))
      }
      // If requests are left, their threads end with the process.
      if service.underWay == 0 { listener.stop() } else { _ = Unmanaged.passRetained(listener) }
    }
  }
#endif
