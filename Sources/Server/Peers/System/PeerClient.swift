#if Server
  import CServer
  import Dispatch

  /// A connection to another server, for one batch of requests at a time, with libcurl.
  ///
  /// `@unchecked Sendable`: only jobs on `queue` use the handle, one at a time.
  final class PeerClient: @unchecked Sendable {
    /// The outcome of sending a batch.
    enum Outcome {
      case answer(status: Int, [UInt8])
      /// The other server did not receive the batch.
      case unsent
      /// The other server may have received the batch and performed its requests.
      case unknown
    }

    private static let largestAnswer = 256 << 20
    private let handle = peer_open()
    /// The queue on whose thread `post` is called, because it blocks.
    let queue = DispatchQueue(label: "eventlog.peers")

    deinit { peer_close(handle) }

    /// Sends a batch, and blocks the thread until the answer is there.
    /// - Parameter isOver: called about once a second, and while bytes arrive. If it returns true,
    ///   the call ends.
    func post(
      _ body: [UInt8], to url: String, _ authorization: String, isOver: @Sendable () -> Bool
    ) -> Outcome {
      guard let handle else { return .unsent }
      return withoutActuallyEscaping(isOver) { isOver in
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
