import EventLog
import Events

/// A shared log that forwards each call to another one unless a double overrides it.
package protocol RemoteDouble: RemoteLog {
  var base: any RemoteLog { get }
}

extension RemoteDouble {
  package var name: String { base.name }
  package func head() async throws(LogError) -> RemoteHead { try await base.head() }
  package func append(_ batch: RemoteBatch) async throws(LogError) -> RemoteAnswer {
    try await base.append(batch)
  }
  package func lines(after position: UInt64, limit: Int) async throws(LogError) -> [UInt8] {
    try await base.lines(after: position, limit: limit)
  }
  package func sum(at position: UInt64) async throws(LogError) -> UInt64? {
    try await base.sum(at: position)
  }
  package func uses(of tails: [UInt64]) async throws(LogError) -> [KeyUse] {
    try await base.uses(of: tails)
  }
  package func rewritings() async throws(LogError) -> Rewritings { try await base.rewritings() }
  package func rules() async throws(LogError) -> RecordedRules { try await base.rules() }
  package func record(_ rules: RecordedRules) async throws(LogError) {
    try await base.record(rules)
  }
  package func rewrite(_ rewriting: RemoteRewriting) async throws(LogError) -> RemoteAnswer {
    try await base.rewrite(rewriting)
  }
}
