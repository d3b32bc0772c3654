import Events
import FaultTesting

typealias Step = SimulationStep<PhoneStep>
typealias Script = SimulationScript<PhoneStep>

/// The kinds of the simulation's steps.
enum PhoneStep: String, StepKind {
  /// A person uses the app: a random command on the phone.
  case tap
  /// Somebody acts on another device: a random command at the server.
  case act
  /// A phone begins a sync.
  case sync
  /// The network delivers a random message.
  case deliver
  /// The network loses a random message.
  case drop
  /// The network delivers a random message, and keeps it to deliver it again.
  case double
  /// A phone no longer waits for an answer.
  case timeout
  /// A phone loses power during one of its next calls of the disk.
  case killPhone
  /// The server loses power during one of its next calls of the disk.
  case killServer
  /// The clock of a phone jumps.
  case clock
  /// The person dismisses an outcome.
  case dismiss
  /// Another process of the app answers queries.
  case widget
  /// A person searches; the phone remembers the answer.
  case search
  /// A person's data are erased from the log.
  case erase

  static let subject = "phone"
}

extension Script {
  /// Draws a script from a seed.
  init(seed: UInt64, phones: Int, steps: Int) {
    self.init(seed: seed, subjects: phones, steps: steps) { random in
      // Each seed has its own faults, so that some simulations have few of them.
      let weights: [(kind: PhoneStep, weight: UInt64)] = [
        (.tap, 30), (.act, 12), (.sync, 12), (.deliver, 45), (.drop, random.next() % 5),
        (.double, random.next() % 5), (.timeout, random.next() % 4),
        (.killPhone, random.next() % 4), (.killServer, random.next() % 3), (.clock, 1),
        (.dismiss, 4), (.widget, 2), (.search, 1), (.erase, random.next() % 8 == 0 ? 1 : 0),
      ]
      return weights
    }
  }
}
