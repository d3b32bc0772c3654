import EventlogClient
import Foundation

/// Behaves like a phone whose person taps without end, with a sync after each tap. A test kills
/// this process.
///
/// Logs the climbs `cSTART`, `cSTART+1` and so on, and prints the number of each when the phone has
/// answered. START may also be `drain`: then it syncs until nothing is pending, and prints the kind
/// and the climb of each outcome.
func tap(_ arguments: [String]) async throws {
  guard arguments.count == 5, let url = URL(string: arguments[0]) else {
    fail("helper tap URL TOKEN USER FOLDER START|drain")
  }
  func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

  var options = RemoteCore.Options()
  options.silence = .seconds(5)
  options.firstPause = .milliseconds(5)
  options.longestPause = .milliseconds(50)
  let remote = RemoteCore(
    url: url, session: StaticSession(token: arguments[1]), options: options)
  let user = arguments[2]
  let phone = try await OfflineStore(arguments[3], server: remote, of: user)

  guard let start = Int(arguments[4]) else {
    // The server may still perform a request of the killed process.
    repeat { try? await phone.sync() } while !phone.pending.isEmpty
    for outcome in phone.outcomes {
      guard case .string(let climb)? = outcome.input["climb"] else { continue }
      say("\(outcome.kind) \(climb)")
    }
    exit(0)
  }
  while true {
    if (try? await phone.sync()) != nil { break }
  }
  let syncing = Task { try await phone.keepSyncing(every: .milliseconds(3)) }
  let send = phone.useCase(LogSend.self)
  for number in start... {
    _ = try await send.execute(.init(climb: "c\(number)"), as: Caller(user))
    say("\(number)")
    try await Task.sleep(for: .milliseconds(1))
  }
  withExtendedLifetime(syncing) {}
}
