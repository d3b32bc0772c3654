import EventlogClient
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// The times of a query and of a durable command through EventlogClient, beside URLSession alone, in
// turns against one server. `Tests/Benchmarks/client` starts the server.
//
// usage: clienttimes URL TOKEN USER CALLS

let arguments = CommandLine.arguments
guard arguments.count == 5, let url = URL(string: arguments[1]), let calls = Int(arguments[4])
else {
  print("usage: clienttimes URL TOKEN USER CALLS")
  exit(64)
}
let (token, caller) = (arguments[2], Caller(arguments[3]))
let remote = RemoteCore(url: url, session: StaticSession(token: token))
let counts = remote.useCase(GetFollowCounts.self)
let send = remote.useCase(LogSend.self)

/// Sends a request as an app without the client would, and reads the answer's JSON.
@Sendable func bare(_ name: String, _ body: String, key: String? = nil) async throws {
  var request = URLRequest(url: url.appending(path: "v1/do/\(name)"))
  request.httpMethod = "POST"
  request.httpBody = Data(body.utf8)
  request.setValue("application/json", forHTTPHeaderField: "Content-Type")
  request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
  if let key { request.setValue(key, forHTTPHeaderField: "Idempotency-Key") }
  let (data, response) = try await URLSession.shared.data(for: request)
  guard (response as? HTTPURLResponse)?.statusCode == 200,
    try JSONSerialization.jsonObject(with: data) is [String: Any]
  else { throw URLError(.badServerResponse) }
}

/// Returns the sorted times of calls, in microseconds.
func times(_ call: (Int) async throws -> Void) async throws -> [Double] {
  var times: [Double] = []
  for number in 0..<calls {
    let start = ContinuousClock.now
    try await call(number)
    times.append((ContinuousClock.now - start) / .microseconds(1))
  }
  return times.sorted()
}

print("call\tthrough\tp50 us\tp99 us")
var medians: [String: [Double]] = [:]
for round in 0..<4 {
  func show(_ name: String, _ way: String, _ times: [Double]) {
    // The first round only warms up.
    if round == 0 { return }
    let (half, most) = (times[times.count / 2], times[times.count * 99 / 100])
    medians["\(name) \(way)", default: []].append(half)
    print("\(name)\t\(way)\t\(Int(half))\t\(Int(most))")
  }
  show("query", "URLSession", try await times { _ in try await bare("GetFollowCounts", "{}") })
  show(
    "query", "client", try await times { _ in _ = try await counts.execute(.init(), as: caller) })
  show(
    "command", "URLSession",
    try await times { number in
      try await bare(
        "LogSend", #"{"climb":"a\#(round)-\#(number)"}"#, key: "\(round)-\(number)-\(UUID())")
    })
  show(
    "command", "client",
    try await times { number in
      _ = try await send.execute(.init(climb: "b\(round)-\(number)"), as: caller)
    })
}
for name in ["query", "command"] {
  func best(_ way: String) -> Double { medians["\(name) \(way)"]?.min() ?? 0 }
  let ratio = (best("client") / best("URLSession") * 100).rounded() / 100
  print("\(name): the client takes \(ratio) times as long as URLSession")
}
remote.close()
