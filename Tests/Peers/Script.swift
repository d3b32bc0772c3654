import Events
import FaultTesting

typealias Step = SimulationStep<ServerStep>
typealias Script = SimulationScript<ServerStep>

/// The kinds of the simulation's steps.
enum ServerStep: String, StepKind {
  /// A client gets one more command to send.
  case command
  /// A client reads its own writes at any server.
  case read
  /// A server stops for a while, and goes on with what it believed.
  case pause
  /// A server's process is killed, and started again later.
  case kill
  /// A server's machine loses power, and the server is started again later.
  case power
  /// A server is ended as by SIGTERM, and started again later.
  case leave
  /// As `leave`, but a version that knows no lease is started later, or the other way around.
  case change
  /// A server cannot reach the database for a while.
  case cutDatabase
  /// A server cannot reach another server for a while, or be reached.
  case cutPeers
  /// For a while connections are lost, before or after the request had its effect.
  case loss
  /// The database answers nothing for a while.
  case stall

  static let subject = "server"
}

extension Step {
  /// The time until the next step.
  var pause: Duration {
    let number = Int(numbers[3] % 1_000)
    return .milliseconds(numbers[3] / 1_000 % 16 == 0 ? number * 3 : number / 10)
  }
}

extension Script {
  /// Draws a script from a seed.
  init(seed: UInt64, servers: Int, steps: Int) {
    self.init(seed: seed, subjects: servers, steps: steps) { random in
      // Each seed has its own faults, so that some simulations have few of them.
      let weights: [(kind: ServerStep, weight: UInt64)] = [
        (.command, 60), (.read, 10), (.pause, random.next() % 5), (.kill, random.next() % 4),
        (.power, random.next() % 3), (.leave, random.next() % 3),
        (.change, random.next() % 3 == 0 ? 2 : 0), (.cutDatabase, random.next() % 4),
        (.cutPeers, random.next() % 4), (.loss, random.next() % 4), (.stall, random.next() % 2),
      ]
      return weights
    }
  }
}
