import Aggregates
import Events
import Testing

/// A test of a decider: given some events, when a command comes, then an event, nothing or a
/// refusal.
struct Given<D: Decider> {
  private var state = D.initial
  private let rules: Rules

  init(_: D.Type, _ events: Event..., rules: Rules = .climb) {
    self.init(D.self, events, rules: rules)
  }

  init(_: D.Type, _ events: [Event], rules: Rules = .climb) {
    self.rules = rules
    for event in events { D.evolve(&state, event) }
  }

  func when(_ command: D.Command, by actor: UserID?) -> When {
    do throws(DomainError) {
      return When(result: .success(try D.decide(command, state, by: actor, rules)))
    } catch {
      return When(result: .failure(error))
    }
  }
}

struct When {
  let result: Result<Event?, DomainError>

  func then(_ event: Event, at location: SourceLocation = #_sourceLocation) {
    #expect(result == .success(event), sourceLocation: location)
  }

  func thenNothing(at location: SourceLocation = #_sourceLocation) {
    #expect(result == .success(nil), sourceLocation: location)
  }

  func thenRefused(_ error: DomainError, at location: SourceLocation = #_sourceLocation) {
    #expect(result == .failure(error), sourceLocation: location)
  }
}

let alice = UserID(index: 0)
let bob = UserID(index: 1)
let carol = UserID(index: 2)
let dave = UserID(index: 3)
let w1 = WorkoutID(index: 0)
let c1 = CommentID(index: 0)
let c2 = CommentID(index: 1)
