import Events

/// A command on its way through a core.
struct Pending: Sendable {
  /// The answer once the decision is durable, given the model at that point and the positions of
  /// the events: what replies to the caller.
  typealias Answering = @Sendable (Model, Range<UInt64>) -> @Sendable () -> Void

  let caller: Caller
  var key: RetryKey?
  /// Whether the use of the key is noted though nothing is appended.
  var notesUse = true
  /// Whether it is to be decided as if others had been before it that the projections do not know.
  var isAhead = false
  let decide: @Sendable (inout Model) throws(UseCaseError) -> Answering
  /// Called with the position at which it was refused.
  let fail: @Sendable (UseCaseError, UInt64) -> Void
}

/// What became of commands that were appended together.
public struct CommandGroupReport: Sendable {
  /// The number of commands, those included that appended nothing.
  public var commands: Int
  public var events: Int
  /// How long writing and syncing took.
  public var duration: Duration
  /// Why nothing, or not all, was appended.
  public var failure: LogError?
}
