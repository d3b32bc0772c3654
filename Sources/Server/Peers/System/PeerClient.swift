#if Server
  import CServer
  import Dispatch

  /// A connection to other servers over HTTP, with libcurl.
  ///
  /// `@unchecked Sendable`: only jobs on `queue` use the handle, one at a time.
  final class PeerClient: PeerConnection, @unchecked Sendable {
    private static let largestAnswer = 256 << 20
    private let handle = peer_open()
    /// The queue of calls, because each blocks its thread.
    private let queue = DispatchQueue(label: "eventlog.peers")

    deinit { peer_close(handle) }

    func post(
      _ body: [UInt8], to url: String, _ authorization: String,
      isOver: @escaping @Sendable () -> Bool
    ) async -> PeerOutcome {
      await withCheckedContinuation { continuation in
        queue.async { [self] in
          continuation.resume(returning: send(body, to: url, authorization, isOver))
        }
      }
    }

    private func send(
      _ body: [UInt8], to url: String, _ authorization: String, _ isOver: @escaping () -> Bool
    ) -> PeerOutcome {
      guard let handle else { return .unsent }
      var answer = peer_answer()
      answer.most = Self.largestAnswer
      let box = Unmanaged.passRetained(Check(isOver))
      defer { box.release() }
      var watch = peer_watch(is_over: peerIsOver, context: box.toOpaque())
      let result = peer_post(
        handle, url, "Authorization: " + authorization, body, body.count, &watch, &answer)
      defer { free(answer.bytes) }
      switch result {
      case 1:
        return .answer(
          status: answer.status,
          Array(UnsafeBufferPointer(start: answer.bytes, count: answer.count)))
      case 0: return .unsent
      default: return .unknown
      }
    }

    fileprivate final class Check {
      let isOver: () -> Bool
      init(_ isOver: @escaping () -> Bool) { self.isOver = isOver }
    }
  }

  private let peerIsOver: @convention(c) (UnsafeMutableRawPointer?) -> Int32 = { context in
    guard let context else { return 0 }
    let check = Unmanaged<PeerClient.Check>.fromOpaque(context).takeUnretainedValue()
    return check.isOver() ? 1 : 0
  }
#endif
