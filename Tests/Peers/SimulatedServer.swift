#if Server
  import Aggregates
  import EventLog
  import Events
  import FaultTesting
  import Server
  import UseCases
  import UseCasesTesting

  #if canImport(Glibc)
    import Glibc
  #else
    import Darwin
  #endif

  /// A server with a clone of the shared log on a disk of its own. It is started again after it has
  /// ended.
  @MainActor final class SimulatedServer {
    /// The parts of a server that runs.
    private struct Running {
      let log: FileLog
      let core: Core
      let service: Service
      let group: PeerGroup?
      let tasks: [Task<Void, Never>]
    }

    let number: Int
    private let network: SimulatedNetwork
    private(set) var disk = SimulatedDisk()
    private(set) var process: SimulatedProcess?
    private var running: Running?
    private var random: SplitMix64
    private var isLeaving = false
    /// Whether the server's version knows the lease.
    private(set) var knowsLease = true
    private(set) var kills = 0
    /// The error for which a start fails for ever.
    private(set) var violation: Violation?

    private static var processes = 0

    init(_ number: Int, _ network: SimulatedNetwork, seed: UInt64) {
      (self.number, self.network) = (number, network)
      random = SplitMix64(seed: seed &* 7 &+ UInt64(number))
    }

    private var scheduler: Scheduler { .shared }

    /// Whether the server takes requests.
    var isUp: Bool { running != nil }

    /// The position of the last event that the server's queries see.
    var position: UInt64 { running?.core.position ?? 0 }

    // MARK: Start

    func start() {
      guard process == nil else { return }
      Self.processes += 1
      let process = SimulatedProcess(number, number: Self.processes, seed: random.next())
      self.process = process
      let remote = SimulatedRemote(
        process, network, knowsLease: knowsLease, hears: random.next() % 4 > 0)
      scheduler.within(process) { open(process, remote) }
    }

    private func open(_ process: SimulatedProcess, _ remote: SimulatedRemote) {
      let (files, isNew, knowsLease) = (disk.files, disk["/log/remote"] == nil, knowsLease)
      process.environment.start { [self, network] in
        do {
          let environment = process.environment
          let log =
            isNew
            ? try await FileLog.clone(
              remote, address: "shared", to: "/log", files: files, environment: environment)
            : try await FileLog.open(
              clone: "/log", of: remote, files: files, environment: environment)
          let core = try await Core(log, rules: .climb, environment: environment)
          var options = Service.Options()
          options.trustsUserHeader = true
          options.bounds.requestsPerSecond = 0
          options.now = environment.now
          var group: PeerGroup?
          let signature = PeerSignature(secret: try await remote.secret(), now: environment.now)
          if knowsLease {
            group = PeerGroup(
              remote, core, log, signature,
              connect: { SimulatedConnection(process, network) }, environment: environment)
          }
          options.peers = group
          let service = Service(
            core, log: log, logFolder: nil,
            photos: PhotoPorts(storage: NoPhotos(), encoder: PassThroughEncoder()),
            photoFolder: "/photos", tokens: NoSessions(), options: options, digest: digest)
          onMain { [group] in self.opened(process, log, core, service, group, signature) }
        } catch {
          onMain { self.failed(process, error) }
        }
      }
    }

    private func opened(
      _ process: SimulatedProcess, _ log: FileLog, _ core: Core, _ service: Service,
      _ group: PeerGroup?, _ signature: PeerSignature
    ) {
      if process.isDead { return log.close() }
      var tasks: [Task<Void, Never>] = []
      if let group {
        network.endpoints[number] = (process, PeerEndpoint(service, group, signature))
        let address = SimulatedNetwork.address(of: number)
        tasks = [
          Task.detached { await group.keepLease(at: address) { _ in } },
          Task.detached { await group.keepTime() },
        ]
      }
      running = Running(log: log, core: core, service: service, group: group, tasks: tasks)
    }

    private func failed(_ process: SimulatedProcess, _ error: any Error) {
      if process.isDead { return }
      if case .unreachable? = (error as? LogError)?.remoteFault {
        // It is started again soon.
      } else if case .unknownOutcome? = (error as? LogError)?.remoteFault {
        // As above.
      } else {
        violation = Violation("a server cannot start", "server \(number): \(error)")
      }
      scheduler.after(.zero) { [self] in
        if process === self.process { end(losing: nil, restartingIn: .milliseconds(300)) }
      }
    }

    // MARK: End

    /// Kills the process.
    /// - Parameter loss: the unsynced changes that survive if the machine loses power; nil keeps
    ///   all.
    func kill(_ loss: SimulatedDisk.Loss?, restartingIn delay: Duration) {
      if process == nil { return }
      kills += 1
      end(losing: loss, restartingIn: delay)
    }

    private func end(losing loss: SimulatedDisk.Loss?, restartingIn delay: Duration?) {
      guard let process else { return }
      let old = disk
      if let loss { old.losePower(loss, &random) }
      disk = old.copy()
      old.begin { _, _, _ in SimulatedDisk.Failure(code: EIO) }
      let tasks = running?.tasks ?? []
      (running, isLeaving, self.process) = (nil, false, nil)
      network.endpoints[number] = nil
      network.database.endListening(of: process.number)
      process.kill(tasks)
      network.losePosts(to: process)
      if let delay { scheduler.after(delay) { [self] in start() } }
    }

    /// Ends the server as SIGTERM does. Starts it again later.
    /// - Parameter changes: whether the next version knows the lease if this one does not, or the
    ///   other way around.
    func leave(changes: Bool, restartingIn delay: Duration) {
      guard let running, let process, !isLeaving, !process.isPaused else { return }
      isLeaving = true
      scheduler.within(process) {
        running.service.end()
        process.environment.start { [self] in
          await running.group?.leave()
          let end = process.environment.instant() + .seconds(10)
          while running.service.underWay > 0, process.environment.instant() < end {
            await process.environment.sleep(.milliseconds(5))
          }
          onMain {
            Scheduler.shared.after(.zero) {
              guard process === self.process else { return }
              running.log.close()
              if changes { self.knowsLease.toggle() }
              self.end(losing: nil, restartingIn: delay)
            }
          }
        }
      }
    }

    /// Ends the server for good, and frees its memory.
    func finish() { end(losing: nil, restartingIn: nil) }

    // MARK: Requests

    /// Performs a client's request. The answer has the position of the last event that the server's
    /// queries see at the moment of the answer.
    func request(
      _ head: RequestHead, _ body: [UInt8],
      _ respond: @escaping @MainActor (Response, [UInt8], UInt64) -> Void
    ) {
      guard let running, let process else { return }
      process.perform {
        SimulatedNetwork.request(head, body, running.service) { response, bytes in
          if !process.isDead { respond(response, bytes, running.core.position) }
        }
      }
    }

    /// The bytes of the clone's segments.
    var logBytes: [UInt8] {
      disk.paths.filter { $0.hasPrefix("/log/0") && $0.hasSuffix(".jsonl") }
        .flatMap { disk[$0] ?? [] }
    }
  }

  /// No caller has a token here.
  private struct NoSessions: Authenticator {
    func session(_ token: String, now: Timestamp) throws(TokenFault) -> Session {
      throw TokenFault("no tokens are expected")
    }
  }

  /// Returns 32 bytes that stand for a hash of bytes.
  @Sendable nonisolated private func digest(_ bytes: [UInt8]) -> [UInt8] {
    (UInt64(0)..<4).flatMap { seed in
      let hash = XXH64.hash(bytes, seed: seed)
      return (0..<8).map { UInt8(truncatingIfNeeded: hash >> (8 * $0)) }
    }
  }

  extension SimulatedDisk {
    /// Returns a disk with the same files, all of them synced.
    fileprivate func copy() -> SimulatedDisk {
      let copy = SimulatedDisk()
      var folders: Set<String> = ["/"]
      for path in paths {
        var folder = ""
        for part in path.split(separator: "/").dropLast() {
          folder += "/" + part
          if folders.insert(folder).inserted { copy.makeFolder(folder) }
        }
        copy[path] = self[path]
      }
      return copy
    }
  }
#endif
