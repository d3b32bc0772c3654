#if Server
  import Events
  import Synchronization
  import UseCases

  /// The writer's side: performs the batches of requests that other servers pass to it.
  package final class PeerEndpoint: RequestHandler {
    package static let path = "/peer/v1/requests"
    /// The largest batch, in bytes: more than `PeerGroup.batchBytes` and the heads of 256 requests,
    /// and more than one photo as Base64.
    private static let largestBatch = 32 << 20
    /// The most bytes of the batches that are being read or performed; one batch may be larger.
    private static let mostBytes = 128 << 20

    package let bounds: Bounds
    package let trustedProxies = TrustedProxies()
    private let service: Service
    private let group: PeerGroup
    private let signature: PeerSignature
    /// The bytes of the batches under way.
    private let bytes = Mutex(0)

    package init(_ service: Service, _ group: PeerGroup, _ signature: PeerSignature) {
      (self.service, self.group, self.signature) = (service, group, signature)
      var bounds = Bounds()
      bounds.threads = 2
      bounds.idleSeconds = 300
      self.bounds = bounds
    }

    package func admit(_ head: RequestHead) -> Service.Admission {
      if let fault = head.framingFault { return .refused(fault) }
      guard head.method == "POST", head.target == Self.path, let target = Target(head.target) else {
        return .refused(.failure(404, "notFound", "this address is for servers of the same log"))
      }
      guard let size = head[.contentLength].flatMap({ Int($0) }) else {
        return .refused(.failure(411, "badRequest", "Content-Length is missing"))
      }
      guard size <= Self.largestBatch else { return .refused(service.tooLarge(Self.largestBatch)) }
      guard signature.accepts(head[.authorization], path: Self.path) else {
        return .refused(.failure(401, "unauthorized", "the signature is not valid"))
      }
      let hasRoom = bytes.withLock { bytes in
        if bytes > 0, bytes + size > Self.mostBytes { return false }
        bytes += size
        return true
      }
      guard hasRoom else {
        return .refused(.failure(503, "busy", "the writer performs too many large batches"))
      }
      service.state.withLock { $0.underWay += 1 }
      return .admitted(
        Service.Admitted(
          head, target, .health, Session(caller: nil, expires: .latest), begun: .now,
          bodyLimit: size, reserved: 0, isMultipart: false))
    }

    package func ended(_ admitted: Service.Admitted) {
      bytes.withLock { $0 -= admitted.bodyLimit }
      service.ended(admitted)
    }

    package func handle(
      _ admitted: Service.Admitted, body: [UInt8]?,
      _ respond: @escaping @Sendable (@escaping Service.Making) -> Void
    ) {
      guard let body, signature.signs(admitted.head[.authorization], body) else {
        return respond { .failure(401, "unauthorized", "the signature is not that of the body") }
      }
      let notWriter: Service.Making = {
        .failure(421, Response.fromReader, "this server is not the writer")
      }
      guard let own = group.receiver, !service.isRewriting else { return respond(notWriter) }
      guard let parts = PeerMessage.parts(of: body), parts.count > 1,
        let position = PeerMessage.position(parts[0].line)
      else {
        return respond { .failure(400, "badRequest", "a batch of requests is expected") }
      }
      // A batch for another term may have been performed by its writer.
      if let receiver = PeerMessage.receiver(parts[0].line), receiver != own {
        return respond(notWriter)
      }
      let answers = PeerAnswers(parts.count - 1) { [self] answers in
        respond { [self] in
          Response(
            200, [("Content-Type", "application/octet-stream")], lines(after: position) + answers)
        }
      }
      for (index, part) in parts.dropFirst().enumerated() {
        guard let request = PeerMessage.request(part.line, in: service) else {
          answers.set(index, .failure(400, "badRequest", "a request is not valid"), service.core)
          continue
        }
        service.route(request, part.body) { [service] in answers.set(index, $0, service.core) }
      }
    }

    package func count(connection: Int) {}

    /// Returns a message with the lines after a position, which are on disk in the shared log. The
    /// other server fetches the lines that do not fit.
    private func lines(after position: UInt64) -> [UInt8] {
      let lines = try? service.log?.view().lines(after: position, limit: 1 << 20)
      var bytes: [UInt8] = []
      PeerMessage.append(lines: lines ?? [], after: position, to: &bytes)
      return bytes
    }
  }

  /// The answers to a batch, until all are there.
  private final class PeerAnswers: Sendable {
    private let state: Mutex<(parts: [[UInt8]], left: Int)>
    private let finish: @Sendable ([UInt8]) -> Void

    init(_ count: Int, _ finish: @escaping @Sendable ([UInt8]) -> Void) {
      state = Mutex((Array(repeating: [], count: count), count))
      self.finish = finish
    }

    func set(_ index: Int, _ response: Response, _ core: Core) {
      switch response.body {
      case .bytes(let body): store(index, response, body, core.position)
      case .stream(let outlet):
        Task { store(index, response, await outlet.all(), core.position) }
      }
    }

    private func store(
      _ index: Int, _ response: Response, _ body: [UInt8], _ position: UInt64
    ) {
      var bytes: [UInt8] = []
      PeerMessage.append(response, body, position, to: &bytes)
      let all = state.withLock { state -> [UInt8]? in
        state.parts[index] = bytes
        state.left -= 1
        return state.left == 0 ? state.parts.flatMap(\.self) : nil
      }
      if let all { finish(all) }
    }
  }

  extension Outlet {
    /// Returns all bytes of the stream, when it has ended.
    fileprivate func all() async -> [UInt8] {
      let (wakes, waker) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
      connect(wake: { waker.yield() }, isClosed: { false })
      var bytes: [UInt8] = []
      var iterator = wakes.makeAsyncIterator()
      while true {
        switch take(1 << 20, sleep: {}) {
        case .bytes(let more): bytes += more
        case .nothing: _ = await iterator.next()
        case .end:
          disconnect()
          return bytes
        }
      }
    }
  }
#endif
