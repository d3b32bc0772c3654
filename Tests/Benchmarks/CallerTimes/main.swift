import Events
import Foundation
import Synchronization
import UseCases

// How many durable commands a second a core performs in process for so many callers, each of whom
// waits for its answer: what `Tests/Benchmarks/serve` compares the server with.
//
// usage: callers SECONDS CALLERS FOLDER

let arguments = CommandLine.arguments
guard arguments.count == 4, let seconds = Double(arguments[1]), let callers = Int(arguments[2])
else {
  print("usage: callers SECONDS CALLERS FOLDER")
  exit(64)
}
let people = 1_000
let core = try await Core.open(FileLog(path: arguments[3] + "/callers", creating: true))
let photos = PhotoPorts(storage: PhotoFolder(""), encoder: PassThroughEncoder())
func request(_ name: String, _ user: Int, _ members: [(String, String)]) -> Request {
  Request(
    name, as: "u\(user)", with: .object(members.map { .init($0.0, .string($0.1)) }))
}
let created = await core.perform(
  (0..<people).map { request("CreateProfile", $0, [("user", "u\($0)"), ("handle", "user\($0)")]) },
  photos: photos)
for reply in created { _ = try reply.result.get() }

let toggle = ToggleFollow(core)
let count = Atomic(0)
let start = ContinuousClock.now
let end = start + .seconds(seconds)
try await withThrowingTaskGroup(of: Void.self) { group in
  for caller in 0..<callers {
    group.addTask {
      var number = caller
      while ContinuousClock.now < end {
        let (user, other) = (number % people, (number * 7 + 1) % people)
        number += callers
        if user == other { continue }
        _ = try await toggle.execute(.init(followee: "u\(other)"), as: Caller("u\(user)"))
        count.add(1, ordering: .relaxed)
      }
    }
  }
  try await group.waitForAll()
}
let taken = (ContinuousClock.now - start) / .seconds(1)
print("\(Int(Double(count.load(ordering: .relaxed)) / taken)) commands a second")
