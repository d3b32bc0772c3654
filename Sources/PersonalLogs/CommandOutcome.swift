import Events
import UseCases

/// The outcome of a command that a phone decided, and that the server then decided again.
///
/// ```
/// for outcome in phone.outcomes where outcome.kind == .refused {
///   show("\(outcome.name) was refused: \(outcome.error!)")
///   try phone.dismiss(outcome.id)
/// }
/// ```
/// Each command has exactly one outcome. A phone keeps it until the app dismisses it.
public struct CommandOutcome: Equatable, Sendable, Identifiable {
  /// The kinds of outcomes.
  public enum Kind: String, CaseIterable, Sendable {
    /// The server did what the phone had expected.
    case applied
    /// The server appended other events than the phone had expected, or answered otherwise.
    case appliedDifferently
    /// The server had nothing to do.
    case alreadyTrue
    /// The server refused the command.
    case refused
  }

  /// The command's key.
  public var id: String
  /// The kind of the outcome.
  public var kind: Kind
  /// The name of the use case.
  public var name: String
  /// The input, to try again.
  public var input: JSONValue
  /// The time at which the phone decided the command.
  public var decidedAt: Timestamp
  /// The position of the personal log on which the phone decided the command.
  public var decidedOn: UInt64
  /// The position of the last event that the server's answer reflects.
  public var position: UInt64
  /// The answer that the phone had expected.
  public var expected: JSONValue
  /// The server's answer; nil if it is lost, because the server had performed the command before.
  public var answer: JSONValue?
  /// The server's error, with the code of the broken rule; nil unless the command was refused.
  public var error: UseCaseError?
  /// The facts and the events on which a refusal rests, as far as the user may know them, in the
  /// form of `eventlog why-not --json`. Nil if the server gave none: it explains few refusals of a
  /// request, and none that it repeats.
  public var explanation: JSONValue?
  /// The parts of the personal log that are new or changed since the phone's decision, up to the
  /// first personal log that reflects the answer, such as `person/bob`. Parts that were removed are
  /// not listed. Empty before that, and unless the command was refused or applied differently.
  public var changedParts: [String]

  /// Creates an outcome, for a test of a screen.
  public init(
    id: String, kind: Kind, name: String, input: JSONValue = .object([]),
    decidedAt: Timestamp = .epoch, decidedOn: UInt64 = 0, position: UInt64 = 0,
    expected: JSONValue = .null, answer: JSONValue? = nil, error: UseCaseError? = nil,
    explanation: JSONValue? = nil, changedParts: [String] = []
  ) {
    (self.id, self.kind, self.name, self.input) = (id, kind, name, input)
    (self.decidedAt, self.decidedOn, self.position) = (decidedAt, decidedOn, position)
    (self.expected, self.answer, self.error) = (expected, answer, error)
    (self.explanation, self.changedParts) = (explanation, changedParts)
  }
}

/// A source of outcomes, such as `OfflineStore`. A test of a screen uses `RecordingOutcomes`.
public protocol OutcomeSource: Sendable {
  /// The outcomes that are not dismissed, in the order of the commands.
  var outcomes: [CommandOutcome] { get }
  /// Returns all outcomes that are not dismissed, and then each new one.
  func outcomeUpdates() -> AsyncStream<CommandOutcome>
  /// Dismisses an outcome, so that it is not kept. Ignores an unknown id.
  func dismiss(_ id: CommandOutcome.ID) throws(UseCaseError)
}
