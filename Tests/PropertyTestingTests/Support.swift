import Foundation
import Synchronization
import Testing

/// The issues that a body records, instead of failing the test.
func issues(_ body: @escaping @Sendable () async throws -> Void) async throws -> [Issue] {
  let found = Mutex<[Issue]>([])
  let keep: @Sendable (Issue) -> Issue? = { issue in
    found.withLock { $0.append(issue) }
    return nil
  }
  try await IssueHandlingTrait.compactMapIssues(keep).provideScope(
    for: try #require(Test.current), testCase: Test.Case.current, performing: body)
  return found.withLock { $0 }
}

extension Issue {
  var text: String { comments.map(\.rawValue).joined(separator: "\n") }
}

/// Runs a body with a new folder, and deletes the folder afterwards.
func withFolder<T>(_ body: (URL) async throws -> T) async throws -> T {
  let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  return try await body(folder)
}

/// A source file without a corpus beside it, for tests of failing properties.
let nowhere = "/nowhere/Tests.swift"
