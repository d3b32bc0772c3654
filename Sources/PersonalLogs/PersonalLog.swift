import Aggregates
import Events
import UseCases

/// The present state that one user may see, as events made for this user.
///
/// ```swift
/// let log = try await core.personalLog(of: "alice")
/// log.parts.first?.key             // "person/alice"
/// let phone = try PersonalReading(log)
/// try phone.answer(GetProfile.self, .init())?.user  // "alice"
/// ```
/// A phone keeps it and answers from it, on or off line (`PersonalReading`). It has present values
/// only: no old text, no removed text, and no follow, friendship or block between two other people.
/// Numbers of those are in `Part.counts`. The events are not those of the log: they have neither
/// ids nor actors, and only messages and read marks have positions.
public struct PersonalLog: Equatable, Sendable {
  /// The most items of each kind in a personal log. Each counts as 1 if it is less, and as
  /// 1,000,000 if it is more.
  public struct Bounds: Equatable, Sendable {
    /// The newest workouts of the reader.
    public var ownWorkouts = 1_000
    /// The newest workouts of each other person.
    public var workoutsPerPerson = 10
    /// The newest of all these workouts that have their chups, reactions and comments.
    public var workoutsWithReactions = 100
    /// The newest messages of each conversation.
    public var messages = 100
    /// The messages of all conversations together that are in addition to `messages`, because the
    /// reader has not read them or an earlier message.
    public var unreadMessages = 1_000
    /// The members of each group.
    public var members = 1_000

    /// Creates the default bounds.
    public init() {}

    func clamped() -> Bounds {
      func clamped(_ number: Int) -> Int { min(max(number, 1), 1_000_000) }
      var bounds = self
      bounds.ownWorkouts = clamped(ownWorkouts)
      bounds.workoutsPerPerson = clamped(workoutsPerPerson)
      bounds.workoutsWithReactions = clamped(workoutsWithReactions)
      bounds.messages = clamped(messages)
      bounds.unreadMessages = clamped(unreadMessages)
      bounds.members = clamped(members)
      return bounds
    }
  }

  /// A part of a personal log. A newer part with the same key replaces it as a whole.
  public struct Part: Equatable, Sendable {
    /// An event made for the reader.
    public struct Line: Equatable, Sendable {
      /// The position; nil except for messages and read marks.
      public var seq: UInt64?
      /// The time that answers show for the event; 1970 if no answer shows a time.
      public var time: Timestamp
      /// The event's type.
      public var type: String
      /// The schema version of the data.
      public var version: Int
      /// The data, as JSON text.
      public var data: [UInt8]
    }

    /// The key: `person/USER`, `edges`, `workouts/USER`, `workout/WORKOUT`, `group/GROUP` or
    /// `conversation/USER`.
    public var key: String
    /// Whether the bounds left something out.
    public var isCut = false
    /// The events, in the order in which they must be applied.
    public var lines: [Line] = []
    /// Numbers that answers show, such as `followers`. They count all edges, also those that are
    /// not in the log. A conversation has the number `unread` if unread messages are left out.
    public var counts: [String: Int] = [:]

    init(_ key: String) { self.key = key }
  }

  /// The version of the format.
  public static let format = 1

  /// The user for whom the log was made.
  public var reader: String
  /// The position of the last event that the log reflects.
  public var position: UInt64
  /// The time at which it was made.
  public var time: Timestamp
  /// The rules by which commands are decided.
  public var rules: Rules
  /// The server's address, which answers put before the paths of photos; nil leaves it out.
  public var photoBase: String?
  /// The bounds with which it was made.
  public var bounds: Bounds
  /// The parts, in the order in which they must be applied.
  public var parts: [Part] = []

  init(
    reader: String, position: UInt64, time: Timestamp, rules: Rules, bounds: Bounds
  ) {
    (self.reader, self.position, self.time) = (reader, position, time)
    (self.rules, self.bounds) = (rules, bounds)
  }

  /// Returns the part with a key.
  /// - Complexity: O(parts).
  public func part(_ key: String) -> Part? { parts.first { $0.key == key } }
}
