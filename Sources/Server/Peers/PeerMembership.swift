#if Server
  import EventLog
  import Events
  import UseCases

  /// Where the other servers of a shared log reach a server.
  public struct PeerAddress: Sendable {
    /// The address to listen on for other servers.
    public var host = "127.0.0.1"
    /// The port to listen on; 0 uses a free one.
    public var port: UInt16 = 0
    /// The address that other servers use, such as `http://10.0.0.5:9000`; nil means `host` and the
    /// port.
    public var url: String?

    /// Creates an address that only servers on this machine can reach.
    public init() {}
  }

  /// A server's part in the group of servers of a shared log: its listener for the others, and the
  /// tasks that keep the lease.
  final class PeerMembership {
    let group: PeerGroup
    private let signature: PeerSignature
    private let place: PeerAddress
    private var listener: Listener?
    private var tasks: [Task<Void, Never>] = []

    /// Creates the part; nil if the log is not one that servers can share.
    init?(
      _ core: Core, _ log: FileLog, _ place: PeerAddress,
      now: @escaping @Sendable () -> Timestamp
    ) async throws(Listener.Fault) {
      guard let lease = log.remote?.lease else { return nil }
      do throws(LogError) {
        signature = PeerSignature(secret: try await lease.secret(), now: now)
      } catch {
        throw Listener.Fault(message: "\(error)")
      }
      group = PeerGroup(lease, core, log, signature) { PeerClient() }
      self.place = place
    }

    /// Begins to listen for other servers, and to take part.
    func begin(
      _ service: Service, says: @escaping @Sendable (String) -> Void
    ) throws(Listener.Fault) {
      let listener = try Listener(
        PeerEndpoint(service, group, signature), host: place.host, port: place.port)
      self.listener = listener
      let host = place.host.contains(":") ? "[\(place.host)]" : place.host
      let address = place.url ?? "http://\(host):\(listener.port)"
      tasks = [
        Task { [group] in await group.keepLease(at: address, says: says) },
        Task { [group] in await group.keepTime() },
      ]
    }

    /// Gives the lease back. The requests under way are passed to the next writer.
    func leave() async { await group.leave() }

    /// Ends the listener and the tasks.
    /// - Parameter isIdle: whether no request is under way.
    func end(isIdle: Bool) {
      for task in tasks { task.cancel() }
      guard let listener else { return }
      listener.quiesce()
      if isIdle { listener.stop() } else { _ = Unmanaged.passRetained(listener) }
    }
  }
#endif
