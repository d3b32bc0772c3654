import Events
import Foundation
import Synchronization
import UseCases

// Durable commands per second that a core performs in process for a number of callers that wait for
// their answers. `Tests/Benchmarks/serve` compares the server with this, on a copy of the same log
// and with the same commands.
//
// usage: callers SECONDS CALLERS LOG FOLLOWS      FOLLOWS has lines of two users with a tab between

let arguments = CommandLine.arguments
guard arguments.count == 5, let seconds = Double(arguments[1]), let callers = Int(arguments[2])
else {
  print("usage: callers SECONDS CALLERS LOG FOLLOWS")
  exit(64)
}
let follows = try String(contentsOfFile: arguments[4], encoding: .utf8).split(separator: "\n").map {
  let users = $0.split(separator: "\t").map(String.init)
  return (caller: Caller(users[0]), input: ToggleFollow.Input(followee: users[1]))
}
let core = try await Core.open(FileLog(path: arguments[3]))
let toggle = ToggleFollow(core)
let count = Atomic(0)
let start = ContinuousClock.now
let end = start + .seconds(seconds)
try await withThrowingTaskGroup(of: Void.self) { group in
  for caller in 0..<callers {
    group.addTask {
      var number = caller
      while ContinuousClock.now < end {
        let follow = follows[number % follows.count]
        number += callers
        _ = try await toggle.execute(follow.input, as: follow.caller)
        count.add(1, ordering: .relaxed)
      }
    }
  }
  try await group.waitForAll()
}
let taken = (ContinuousClock.now - start) / .seconds(1)
print("\(Int(Double(count.load(ordering: .relaxed)) / taken)) commands a second")
