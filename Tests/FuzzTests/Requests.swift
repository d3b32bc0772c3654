import Events
import Foundation
import Server
import UseCases
import UseCasesTesting

/// A request's first line, header lines `NUMBER value`, an empty line, and the body. The server
/// must not trap, must give one answer to each, and have nothing in progress afterwards.
func fuzzRequests(_ bytes: [UInt8]) async {
  let parts = lines(bytes)
  let first = String(decoding: parts.first ?? [], as: UTF8.self).split(
    separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
  var head = RequestHead(String(first[0]), first.count > 1 ? String(first[1]) : "/")
  var at = 1
  while at < parts.count, !parts[at].isEmpty {
    let line = String(decoding: parts[at], as: UTF8.self)
    let words = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    if words.count == 2, let number = Int(words[0]),
      let header = RequestHead.Header(rawValue: number)
    {
      head.isAmbiguous = head.isAmbiguous || head[header] != nil
      head[header] = String(words[1])
    }
    at += 1
  }
  let body = Array(parts.dropFirst(at + 1).joined(separator: [0x0a]))
  guard let core = await fuzzedCore() else { return }
  var options = Service.Options()
  options.trustsUserHeader = true
  options.supabase = Supabase()
  options.bounds.requestsPerSecond = 0
  let photos = PhotoPorts(storage: NoPhotos(), encoder: PassThroughEncoder())
  let service = Service(
    core, log: nil, logFolder: nil, photos: photos, photoFolder: "/nothing/there",
    tokens: NoTokens(), options: options, digest: { [UInt8](repeating: 1, count: 8) + $0 })
  let response = await withCheckedContinuation { continuation in
    switch service.admit(head) {
    case .refused(let response): continuation.resume(returning: response)
    case .admitted(let admitted):
      let body = body.count > admitted.bodyLimit ? nil : body
      service.handle(admitted, body: body) { make in
        service.ended(admitted)
        continuation.resume(returning: make())
      }
    }
  }
  demand((100..<600).contains(response.status), "no status: \(response.status)")
  demand(service.underWay == 0, "answered, and still under way")
  if case .stream(let outlet) = response.body { outlet.disconnect() }
  if case .bytes(let bytes) = response.body, response.status >= 400 {
    demand((try? JSONValue(object: bytes)) != nil, "an error that is no object")
  }
}

private func fuzzedCore() async -> Core? {
  guard let core = try? await Core(InMemoryLog()) else { return nil }
  for user in ["ann", "bob"] {
    _ = try? await CreateProfile(core).execute(.init(user: user, handle: user), as: Caller(user))
  }
  _ = try? await FollowUser(core).execute(.init(followee: "ann"), as: "bob")
  return core
}
