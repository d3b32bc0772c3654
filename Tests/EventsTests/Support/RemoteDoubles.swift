import Synchronization

@testable import Events

/// A shared log whose questions or answers get lost.
final class LossyRemote: RemoteLog {
  enum Loss { case question, answer }
  private let base: any RemoteLog
  private let loss = Mutex<Loss?>(nil)

  init(_ base: any RemoteLog) { self.base = base }

  func loses(_ next: Loss) { loss.withLock { $0 = next } }

  var name: String { base.name }
  func head() async throws(LogError) -> RemoteHead { try await base.head() }
  func append(_ group: RemoteGroup) async throws(LogError) -> RemoteAnswer {
    let lost = loss.withLock { loss in
      defer { loss = nil }
      return loss
    }
    let fault = LogError.remote(.unknownOutcome(name, reason: "lost"))
    if lost == .question { throw fault }
    let answer = try await base.append(group)
    if lost == .answer { throw fault }
    return answer
  }
  func lines(after position: UInt64, limit: Int) async throws(LogError) -> [UInt8] {
    try await base.lines(after: position, limit: limit)
  }
  func sum(at position: UInt64) async throws(LogError) -> UInt64? {
    try await base.sum(at: position)
  }
  func rewritings() async throws(LogError) -> Rewritings { try await base.rewritings() }
  func rewrite(_ rewriting: RemoteRewriting) async throws(LogError) -> RemoteAnswer {
    try await base.rewrite(rewriting)
  }
}

/// A shared log behind an address that comes to be another's.
final class SwitchedRemote: RemoteLog {
  private let base: Mutex<any RemoteLog>

  init(_ base: any RemoteLog) { self.base = Mutex(base) }

  var current: any RemoteLog {
    get { base.withLock { $0 } }
    set { base.withLock { $0 = newValue } }
  }
  var name: String { current.name }
  func head() async throws(LogError) -> RemoteHead { try await current.head() }
  func append(_ group: RemoteGroup) async throws(LogError) -> RemoteAnswer {
    try await current.append(group)
  }
  func lines(after position: UInt64, limit: Int) async throws(LogError) -> [UInt8] {
    try await current.lines(after: position, limit: limit)
  }
  func sum(at position: UInt64) async throws(LogError) -> UInt64? {
    try await current.sum(at: position)
  }
  func rewritings() async throws(LogError) -> Rewritings { try await current.rewritings() }
  func rewrite(_ rewriting: RemoteRewriting) async throws(LogError) -> RemoteAnswer {
    try await current.rewrite(rewriting)
  }
}
