import Aggregates
import Events
import Projections

/// A core's state at one position of its log.
///
/// Commands decide on a model, and queries answer from it. An app receives a model in
/// `Core.commit`.
public struct Model: Sendable {
  package let rules: Rules
  package var names = Names()
  /// The projections, which reflect only durable events.
  package var views = Reading()
  /// The position and time of the last event that `views` reflects.
  package var head = Moment(seq: 0, time: .earliest)
  /// The time of the query or the decision. For a past state, it is the last event's time.
  package var now = Timestamp.earliest
  /// The address that precedes the paths of photos in answers.
  package var photoBase: String?
  /// The deciders' states. They also include decided events that are not yet durable.
  package var aggregates = Boxed(AggregateStates())
  package var draft = Draft()
  /// The part of the last refused command's input that the journal of refusals keeps; nil without
  /// a journal.
  var refusedInput: JSONValue?
  /// The ids whose durable state changed since `Core.takeTouched`; nil if all may have changed.
  var touched: TouchedIDs?

  init(rules: Rules) { self.rules = rules }

  /// Creates a model for queries only. It has no state for decisions.
  package init(rules: Rules, _ views: Reading, _ names: Names, now: Timestamp) {
    (self.rules, self.views, self.names, self.now) = (rules, views, names, now)
  }

  /// Returns a model for queries that stays as this one is now. Commands that change this model
  /// meanwhile copy the pages that they change, not whole tables.
  func snapshot() -> Model {
    var model = Model(rules: rules, views.snapshot(), names.snapshot(), now: now)
    (model.head, model.photoBase) = (head, photoBase)
    return model
  }
}
