#if Server
  import EventLog
  import Foundation
  import Server
  import Testing
  import UseCases

  /// The listener for the other servers of a shared log.
  @Suite struct PeerEndpointTests {
    private struct Alone: WriterLease {
      func hold(at address: String, for duration: Duration) -> LeaseState {
        LeaseState(term: 1, holder: nil, isHeld: false)
      }
      func release() {}
      func secret() -> [UInt8] { [] }
    }

    private struct Unconnected: PeerConnection {
      func post(
        _ body: [UInt8], to url: String, _ authorization: String,
        isOver: @escaping @Sendable () -> Bool
      ) async -> PeerOutcome { .unsent }
    }

    private static func withEndpoint(
      _ body: (PeerEndpoint, PeerSignature) async throws -> Void
    ) async throws {
      let folder = FileManager.default.temporaryDirectory.appending(
        path: "eventlog-peer-\(UUID().uuidString)"
      ).path
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let log = try FileLog(path: folder, creating: true)
      let core = try await Core(log, rules: .climb)
      let signature = PeerSignature(
        secret: Array(repeating: 7, count: 32), now: RuntimeEnvironment.system.now)
      let photos = PhotoPorts(
        storage: PhotoFolder(folder + "/photos", baseURL: ""), encoder: defaultPhotoEncoder())
      let service = Service(
        core, log: log, logFolder: nil, photos: photos, photoFolder: folder, tokens: NoTokens(),
        options: Service.Options(), digest: sha256)
      let group = PeerGroup(Alone(), core, log, signature, connect: { Unconnected() })
      try await body(PeerEndpoint(service, group, signature), signature)
      log.close()
    }

    @Test("An unsigned batch is refused before its body is read")
    func unsigned() async throws {
      try await Self.withEndpoint { endpoint, _ in
        let listener = try Listener(endpoint, host: "127.0.0.1", port: 0)
        defer { listener.stop() }
        for (header, status) in [
          ("Content-Length: 30000000", "401"), ("Transfer-Encoding: chunked", "411"),
          ("Content-Length: 33554433", "413"),
        ] {
          let connection = try Connection(listener.port)
          connection.send(
            "POST \(PeerEndpoint.path) HTTP/1.1\r\nHost: x\r\n\(header)\r\n"
              + "Authorization: EventlogPeer 1 0123456789abcdef0 00 00\r\n\r\n")
          let answer = connection.read(until: "\r\n\r\n")
          #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(header): \(answer)")
        }
      }
    }

    @Test("The signed batches under way have at most 128 MiB together")
    func room() async throws {
      try await Self.withEndpoint { endpoint, signature in
        func admit() -> Service.Admitted? {
          var head = RequestHead("POST", PeerEndpoint.path)
          head[.contentLength] = "\(32 << 20)"
          head[.authorization] = signature.header(for: [], path: PeerEndpoint.path)
          switch endpoint.admit(head) {
          case .admitted(let admitted): return admitted
          case .refused(let response):
            #expect(response.status == 503)
            return nil
          }
        }
        let held = (0..<4).compactMap { _ in admit() }
        #expect(held.count == 4)
        #expect(admit() == nil)
        endpoint.ended(held[0])
        #expect(admit() != nil)
      }
    }

    @Test("A signature is accepted once, and only for its own body")
    func once() async throws {
      try await Self.withEndpoint { endpoint, signature in
        var head = RequestHead("POST", PeerEndpoint.path)
        head[.contentLength] = "4"
        head[.authorization] = signature.header(for: Array("body".utf8), path: PeerEndpoint.path)
        guard case .admitted(let admitted) = endpoint.admit(head) else {
          Issue.record("a signed head was refused")
          return
        }
        let status = await withCheckedContinuation { continuation in
          endpoint.handle(admitted, body: Array("BODY".utf8)) {
            continuation.resume(returning: $0().status)
          }
        }
        #expect(status == 401)
        endpoint.ended(admitted)
        guard case .refused(let again) = endpoint.admit(head) else {
          Issue.record("a head was accepted twice")
          return
        }
        #expect(again.status == 401)
      }
    }
  }
#endif
