import FaultTesting
import Synchronization

@testable import EventLog
@testable import Events

/// A remote whose questions or answers are lost.
final class LossyRemote: RemoteDouble {
  enum Loss { case question, answer }
  let base: any RemoteLog
  private let loss = Mutex<Loss?>(nil)

  init(_ base: any RemoteLog) { self.base = base }

  func loses(_ next: Loss) { loss.withLock { $0 = next } }

  func append(_ batch: RemoteBatch) async throws(LogError) -> RemoteAnswer {
    let lost = loss.withLock { loss in
      defer { loss = nil }
      return loss
    }
    let fault = LogError.remote(.unknownOutcome(name, reason: "lost"))
    if lost == .question { throw fault }
    let answer = try await base.append(batch)
    if lost == .answer { throw fault }
    return answer
  }
}

/// A remote whose address changes to another log.
final class SwitchedRemote: RemoteDouble {
  private let state: Mutex<any RemoteLog>

  init(_ base: any RemoteLog) { state = Mutex(base) }

  var base: any RemoteLog { current }
  var current: any RemoteLog {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}

/// A remote that claims to have one event more than it has.
final class BoastingRemote: RemoteDouble {
  let base: any RemoteLog
  private let state = Mutex(false)

  init(_ base: any RemoteLog) { self.base = base }

  var boasts: Bool {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
  func head() async throws(LogError) -> RemoteHead {
    var head = try await base.head()
    if boasts { head.seq += 1 }
    return head
  }
}

/// A remote that returns some lines and then fails.
final class BreakingRemote: RemoteDouble {
  let base: any RemoteLog

  init(_ base: any RemoteLog) { self.base = base }

  func lines(after position: UInt64, limit: Int) async throws(LogError) -> [UInt8] {
    if position > 0 { throw .remote(.unreachable(name, reason: "it is gone")) }
    return try await base.lines(after: position, limit: 2_000)
  }
}

/// A remote to which another caller appends as soon as it has refused a batch because of a key.
final class RacingRemote: RemoteDouble {
  let base: any RemoteLog
  private let race: @Sendable () async throws(LogError) -> [KeyUse]

  /// - Parameter race: appends, and returns the key uses that it noted.
  init(_ base: any RemoteLog, _ race: @escaping @Sendable () async throws(LogError) -> [KeyUse]) {
    (self.base, self.race) = (base, race)
  }

  func append(_ batch: RemoteBatch) async throws(LogError) -> RemoteAnswer {
    let answer = try await base.append(batch)
    guard case .used(let uses) = answer else { return answer }
    return .used(uses + (try await race()))
  }
}
