import Aggregates
import Events
import Projections

/// Everything a core knows at one position of its log: what deciding and answering need.
///
/// Commands decide on it and queries answer from it; an app uses it in `Core.commit`.
public struct Model: Sendable {
  let rules: Rules
  var names = Names()
  /// Only what is durable.
  var views = Reading()
  /// The last event in `views`.
  var head = Moment(seq: 0, time: .earliest)
  /// The time of the question or the decision; of the past, that of the last event.
  var now = Timestamp.earliest
  /// What the paths of photos in answers begin with.
  var photoBase: String?
  /// Includes what is decided but not yet durable.
  var society = AggregateStates()
  var draft = Draft()

  init(rules: Rules) { self.rules = rules }

  /// What questions need to know: it has no state to decide on.
  package init(rules: Rules, _ views: Reading, _ names: Names, now: Timestamp) {
    (self.rules, self.views, self.names, self.now) = (rules, views, names, now)
  }
}
