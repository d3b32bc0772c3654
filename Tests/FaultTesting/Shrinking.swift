/// A promise that a simulation did not keep.
public struct Violation: Error {
  /// The promise, in the same words for each case.
  public var invariant: String
  /// The values that broke it.
  public var detail: String

  public init(_ invariant: String, _ detail: String) {
    (self.invariant, self.detail) = (invariant, detail)
  }
}

/// Throws a violation unless a condition holds.
public func check(
  _ holds: Bool, _ invariant: String, _ detail: @autoclosure () -> String
) throws {
  if !holds { throw Violation(invariant, detail()) }
}

/// Returns few of the steps of a simulation that still break its promise: it leaves out halves,
/// quarters and so on of the steps, as long as the promise stays broken.
/// - Parameter isBroken: runs some of the steps.
@MainActor public func shrunk<Step: Sendable>(
  _ steps: [Step], isBroken: @MainActor ([Step]) async throws -> Bool
) async rethrows -> [Step] {
  var steps = steps
  var size = max(1, steps.count / 2)
  while true {
    var isSmaller = false
    var start = 0
    while start < steps.count {
      var shorter = steps
      shorter.removeSubrange(start..<min(start + size, steps.count))
      if try await isBroken(shorter) {
        (steps, isSmaller) = (shorter, true)
      } else {
        start += size
      }
    }
    if size == 1, !isSmaller { return steps }
    if !isSmaller { size = max(1, size / 2) }
  }
}
