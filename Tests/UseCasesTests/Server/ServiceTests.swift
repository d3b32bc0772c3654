import Aggregates
import EventLog
import Events
import Foundation
import Server
import Synchronization
import Testing
import UseCases
import UseCasesTesting

/// The server without its sockets: requests as values.
struct TestService: Sendable {
  /// Tokens are the names of callers.
  struct Names: Authenticator {
    func session(_ token: String, now: Timestamp) throws(TokenFault) -> Session {
      let service = token.hasPrefix("service:")
      return Session(
        caller: service ? .service(String(token.dropFirst(8))) : Caller(token), expires: .latest)
    }
  }

  let service: Service

  init(
    _ core: Core, _ photos: PhotoPorts, publicURL: String? = nil, supabase: Supabase? = nil,
    queue: Int = 4_096, photosPerHour: Int = 120, now: @escaping @Sendable () -> Timestamp
  ) {
    var options = Service.Options()
    options.supabase = supabase
    options.publicURL = publicURL
    options.bounds.requestsPerSecond = 0
    options.bounds.queue = queue
    options.bounds.photosPerHour = photosPerHour
    options.readsRequestIDs = true
    options.now = now
    service = Service(
      core, log: nil, logFolder: nil, photos: photos, photoFolder: "", tokens: Names(),
      options: options,
      digest: { bytes in
        withUnsafeBytes(of: XXH64.hash(bytes, seed: 7).bigEndian) { Array($0) }
      })
  }

  func send(
    _ method: String, _ target: String, as caller: String?, body: String = "",
    key: String? = nil, host: String? = nil, headers: [(RequestHead.Header, String)] = []
  ) async -> (status: Int, body: String) {
    var head = RequestHead(method, target)
    head[.authorization] = caller.map { "Bearer " + $0 }
    head[.idempotencyKey] = key
    head[.host] = host
    for (header, value) in headers { head[header] = value }
    let response = await service.answer(to: head, body)
    guard case .bytes(let bytes) = response.body else { return (response.status, "") }
    return (response.status, String(decoding: bytes, as: UTF8.self))
  }
}

extension Service {
  /// The answer to a request; a stream ends at once.
  fileprivate func answer(to head: RequestHead, _ body: String = "") async -> Response {
    await withCheckedContinuation { continuation in
      switch admit(head) {
      case .refused(let response): continuation.resume(returning: response)
      case .admitted(let admitted):
        handle(admitted, body: Array(body.utf8)) { make in
          let response = make()
          if case .stream(let outlet) = response.body { outlet.disconnect() }
          self.ended(admitted)
          continuation.resume(returning: response)
        }
      }
    }
  }
}

/// A storage that accepts all photos.
private struct KeptPhotos: PhotoStorage {
  func put(_ bytes: [UInt8], at path: String) async throws(PhotoStorageError) -> String { path }
  func delete(_ path: String) async throws(PhotoStorageError) {}
}

@Suite struct ServiceTests {
  /// Returns the description's patterns, by the name of the parameter or field that has them.
  private func patterns() async throws -> [String: Set<String>] {
    let core = try await Core(InMemoryLog(), rules: .climb)
    let service = TestService(
      core, PhotoPorts(storage: NoPhotos(), encoder: PassThroughEncoder()),
      now: RuntimeEnvironment.system.now)
    let document = try JSONValue(await service.send("GET", "/v1/openapi.json", as: nil).body)
    var found: [String: Set<String>] = [:]
    func collect(_ value: JSONValue, _ name: String) {
      switch value {
      case .object(let members):
        if case .string(let pattern)? = value["pattern"] {
          found[value["name"].map { "\($0)" } ?? name, default: []].insert(pattern)
        }
        var inner = name
        if case .string(let own)? = value["name"] { inner = own }
        for member in members {
          let isInner = ["schema", "items"].contains(member.name) && name != "properties"
          collect(member.value, isInner ? inner : member.name)
        }
      case .array(let values): for value in values { collect(value, name) }
      default: break
      }
    }
    collect(document, "")
    return found
  }

  /// Returns a random valid value of a field whose text has a pattern; nil for another field.
  private func valid(_ name: String, _ random: inout SplitMix64) -> String? {
    func text(_ count: Int, _ bytes: ClosedRange<UInt8>) -> String {
      String(decoding: (0..<count).map { _ in .random(in: bytes, using: &random) }, as: UTF8.self)
    }
    func id(_ isUser: Bool = false) -> String {
      while true {
        let isLong = Int.random(in: 0..<8, using: &random) == 0
        let prefix = Int.random(in: 0..<50, using: &random) == 0 ? "service:" : ""
        let id = prefix + text(Int.random(in: 1...(isLong ? 120 : 12), using: &random), 0x21...0x7e)
        if isValidID(Array(id.utf8)), !isUser || prefix.isEmpty { return id }
      }
    }
    let time = Timestamp(milliseconds: Int64.random(in: 0..<253_402_300_800_000, using: &random))
    let event = EventID(time: time, random: (random.next(), random.next()))
    switch name {
    case "after": return "\(time),\(event)"
    case "upTo": return "\(event)"
    case "user", "users": return id(true)
    case "workout", "group", "comment", "message", "report": return id()
    case "items":
      return (IDKind.allCases.randomElement(using: &random)?.itemName ?? "") + "/" + id()
    case "url", "photoURL":
      return "https://" + text(Int.random(in: 1...60, using: &random), 0x21...0x7e)
    case "image":
      let count = Int.random(in: 0...40, using: &random)
      let image = ImageData((0..<count).map { _ in .random(in: 0...255, using: &random) })
      return if case .string(let text) = image.json { text } else { nil }
    case "Idempotency-Key", "key":
      return text(Int.random(in: 1...255, using: &random), 0x21...0x7e)
    default: return nil
    }
  }

  @Test("Each pattern of the description accepts 10,000 random valid values of its field")
  func validValues() async throws {
    var random = SplitMix64(seed: 67)
    let patterns = try await patterns()
    #expect(patterns.count > 10)
    for (name, texts) in patterns.sorted(by: { $0.key < $1.key }) {
      let regexes = try texts.map { try NSRegularExpression(pattern: $0) }
      for _ in 0..<10_000 {
        let value = try #require(
          valid(name, &random), "say in 'valid' which texts '\(name)' may have")
        for regex in regexes {
          let range = NSRange(location: 0, length: value.utf16.count)
          if regex.firstMatch(in: value, range: range)?.range != range {
            Issue.record("\(name): \(value) does not match \(regex.pattern)")
            return
          }
        }
      }
    }
  }

  @Test("Operations have different names, and those of streams say that they watch")
  func operations() async throws {
    let core = try await Core(InMemoryLog(), rules: .climb)
    let service = TestService(
      core, PhotoPorts(storage: NoPhotos(), encoder: PassThroughEncoder()),
      now: RuntimeEnvironment.system.now)
    let document = try JSONValue(await service.send("GET", "/v1/openapi.json", as: nil).body)
    guard case .object(let paths)? = document["paths"] else {
      Issue.record("the description has no paths")
      return
    }
    var names: [String] = []
    for path in paths {
      guard case .object(let methods) = path.value else { continue }
      for method in methods {
        guard case .string(let name)? = method.value["operationId"] else { continue }
        names.append(name)
        #expect(name.hasPrefix("watch") == path.name.hasPrefix("/v1/updates/"), "\(name)")
      }
    }
    #expect(names.contains("watchChups") && names.count > 100)
    #expect(Set(names).count == names.count)
  }

  @Test("The description's pattern of pages accepts exactly the dates that exist")
  func datesOfPages() async throws {
    var random = SplitMix64(seed: 28)
    let patterns = try #require(try await patterns()["after"]).map { (try Regex($0), $0) }
    for _ in 0..<10_000 {
      let time = Timestamp(milliseconds: Int64.random(in: 0..<253_402_300_800_000, using: &random))
      let id = EventID(time: time, random: (random.next(), random.next()))
      for (regex, pattern) in patterns {
        #expect("\(time),\(id)".wholeMatch(of: regex) != nil, "\(time),\(id) \(pattern)")
        // Also of dates that do not exist, the pattern accepts none.
        let day = String(
          format: "%04d-%02d-%02dT08:00:00Z,x", Int.random(in: 0...9_999, using: &random),
          Int.random(in: 0...13, using: &random), Int.random(in: 0...32, using: &random))
        let exists = DateTime(String(day.prefix(20))) != nil
        #expect((day.wholeMatch(of: regex) != nil) == exists, "\(day)")
      }
    }
  }

  @Test("A user may store a number of photos in an hour; others and services are not affected")
  func photosPerHour() async throws {
    let time = Mutex(Timestamp("2026-01-05T08:00:00Z") ?? .epoch)
    let now = { @Sendable in time.withLock { $0 } }
    let environment = RuntimeEnvironment(now: now, random: RuntimeEnvironment.system.random)
    let core = try await Core(InMemoryLog(environment), rules: .climb, environment: environment)
    let service = TestService(
      core, PhotoPorts(storage: KeptPhotos(), encoder: PassThroughEncoder()), photosPerHour: 2,
      now: now)
    for user in ["ann", "bob"] {
      _ = try await CreateProfile(core).execute(.init(user: user, handle: user), as: Caller(user))
    }
    func upload(_ user: String) async -> Int {
      await service.send(
        "POST", "/v1/do/UploadProfilePhoto", as: user,
        body: #"{"image":"data:image/png;base64,\#(pixelText)"}"#
      ).status
    }
    for status in [200, 200, 429] { #expect(await upload("ann") == status) }
    #expect(await upload("bob") == 200)
    time.withLock { $0 = Timestamp(milliseconds: $0.milliseconds + 1_800_000) }
    for status in [200, 429] { #expect(await upload("ann") == status) }
  }

  @Test(
    "The scenario of each app gives the same answers over HTTP as with eventlog run",
    arguments: [Rules.climb, .erg, .ride])
  func scenarios(rules: Rules) async throws {
    let folder = Self.repository.appending(path: "eventlogs/scenarios")
    let name = rules.name
    let lines = try String(contentsOf: folder.appending(path: "\(name).jsonl"), encoding: .utf8)
    let expected = try String(
      contentsOf: folder.appending(path: "\(name).expected.jsonl"), encoding: .utf8)
    let clock = Mutex(Timestamp.epoch)
    let environment = RuntimeEnvironment(
      now: { clock.withLock { $0 } }, random: RuntimeEnvironment.system.random)
    let photos = FileManager.default.temporaryDirectory.appending(
      path: "eventlog-photos-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: photos) }
    let ports = PhotoPorts(
      storage: PhotoFolder(photos.path, baseURL: "photos/"), encoder: PassThroughEncoder())
    let core = try await Core(InMemoryLog(environment), rules: rules, environment: environment)
    let http = TestService(core, ports, now: environment.now)
    var count = 0
    for (line, says) in zip(lines.split(separator: "\n"), expected.split(separator: "\n")) {
      let request = try Request(line: Array(line.utf8))
      if let time = request.time { clock.withLock { $0 = time } }
      // Over HTTP a request without a user is refused, so such lines are skipped.
      guard let user = request.user else { continue }
      let caller = request.isService ? "service:" + user : user
      let (status, body) = await http.send(
        "POST", "/v1/do/\(request.name)", as: caller, body: request.input.text)
      let answer = try JSONValue(body)
      let wanted = try JSONValue(String(says))
      count += 1
      if wanted["ok"] == .bool(true) {
        #expect(status == 200 && answer["result"] == wanted["result"], "\(line)\n\(body)")
        #expect(answer["seq"] == wanted["seq"], "\(line)")
      } else {
        #expect(status >= 400 && answer["error"] == wanted["error"], "\(line)\n\(body)")
        #expect(answer["message"] == wanted["message"], "\(line)")
      }
    }
    #expect(count > 100)
  }

  static let repository = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  @Test(
    "Over HTTP each use case gives each viewer the expected answer, with a fitting status",
    arguments: [Rules.erg, .climb])
  func viewpoints(rules: Rules) async throws {
    func over(_ test: TestCore) -> TestService {
      TestService(test.core, test.ports, now: test.clock.environment.now)
    }
    let asked = try await ViewpointTests.society(rules)
    // A command may use it until one has appended something.
    var told = try await TestCore(copying: asked)
    for (name, input, says) in ViewpointTests.cases {
      let says = ViewpointTests.says(rules, to: (name, input, says))
      let input = input.replacing("SPORT", with: rules.sports[1].id)
      let entry = try #require(Registry.find(name))
      for (viewer, word) in zip(ViewpointTests.viewers, says) {
        let http = over(entry.writes ? told : asked)
        let caller =
          viewer == "nobody" ? nil : viewer == "support" ? "service:support" : viewer
        let (status, body) = await http.send(
          "POST", "/v1/do/\(name)", as: caller, body: input)
        // Over HTTP a request without a token is always refused.
        let word = viewer == "nobody" ? "unauthorized" : word
        let isSecretShown = ViewpointTests.hasSecret(body)
        switch word {
        case "ok": #expect(status == 200 && !isSecretShown, "\(name), \(viewer): \(body)")
        case "seen":
          #expect(status == 200 && isSecretShown, "\(name), \(viewer): \(body)")
        default:
          #expect(body.contains("\"error\":\"\(word)\""), "\(name), \(viewer): \(body)")
          #expect((400..<500).contains(status) && !isSecretShown)
        }
        if await told.count != asked.count { told = try await TestCore(copying: asked) }
      }
    }
  }

  @Test("Valid request heads are read in all forms that clients use, and invalid ones are refused")
  func heads() async throws {
    let test = try await TestCore()
    try await test.people("ann", "bob")
    let service = TestService(test.core, test.ports, now: test.clock.environment.now).service
    func status(
      _ target: String, _ authorization: String = "Bearer ann", type: String? = nil
    ) async -> Int {
      var head = RequestHead(type == nil ? "GET" : "POST", target)
      (head[.authorization], head[.contentType]) = (authorization, type)
      return await service.answer(to: head).status
    }
    let path = "/v1/do/GetFollowCounts"
    for (target, expected) in [
      (path, 200), (path + "?", 200), (path + "?user=bob", 200), (path + "?&&user=bob&", 200),
      (path + "?user=b%6Fb", 200), (path + "?user=b%6", 400), (path + "?user=b%zzb", 400),
      (path + "?user=bob&user=bob", 400), (path + "?=bob", 400),
      (path + "/", 400), ("/" + path, 400), (path + "/..", 400), (path + "%2Fx", 400),
      ("/v1/./do", 400), ("v1", 400), ("", 400), ("/", 404), ("/?user=bob", 404), ("/v1", 404),
    ] {
      #expect(await status(target) == expected, "\(target)")
    }
    for (authorization, expected) in [
      ("Bearer ann", 200), ("bearer ann", 200), ("BEARER ann", 200), ("Bearer  ann", 401),
      ("Bearer\tann", 401), ("Bearer ann ", 401), ("Bearer ", 401), ("Bearer", 401), ("", 401),
      ("Basic ann", 401), ("Bearerann", 401),
    ] {
      #expect(await status(path, authorization) == expected, "\(authorization)")
    }
    for (type, expected) in [
      ("application/json", 200), ("Application/JSON; charset=utf-8", 200), ("", 200),
      ("text/plain", 415), ("multipart/form-data; boundary=x", 415),
    ] {
      #expect(await status(path, type: type) == expected, "\(type)")
    }
    #expect(service.underWay == 0)
  }

  @Test("A service that is behind its log is not ready, and says that it is catching up")
  func catchingUp() async throws {
    let log = InMemoryLog()
    let (behind, ahead) = (try await Core(log), try await Core(log))
    let ports = try await TestCore().ports
    let http = TestService(behind, ports, queue: 2, now: RuntimeEnvironment.system.now)
    for (number, status) in [200, 200, 503].enumerated() {
      let user = "user\(number)"
      _ = try await CreateProfile(ahead).execute(
        .init(user: user, handle: user), as: Caller(user))
      let answer = await http.send("GET", "/readyz", as: nil)
      let role = status == 200 ? "writer" : "catching-up"
      #expect(answer.status == status && answer.body.contains(#""role":"\#(role)""#), "\(answer)")
    }
    try await behind.catchUp()
    #expect(await http.send("GET", "/readyz", as: nil).status == 200)
  }

  @Test("The service counts no request in progress once all are answered")
  func counts() async throws {
    let test = try await TestCore()
    try await test.people("ann", "bob")
    let http = TestService(test.core, test.ports, now: test.clock.environment.now)
    for (method, target, body) in [
      ("POST", "/v1/do/FollowUser", #"{"followee":"bob"}"#), ("POST", "/v1/do/FollowUser", "{"),
      ("POST", "/v1/do/FollowUser", #"{"followee":"ann"}"#), ("GET", "/v1/do/GetFeed", ""),
      ("POST", "/v1/do/RefreshFeed", "{}"), ("GET", "/readyz", ""), ("GET", "/v1/nothing", ""),
      ("PUT", "/v1/photo", "x"), ("GET", "/v1/do/GetFeed?as-of=1", ""),
      ("POST", "/storage/v1/object/avatars/bob/a.jpg", "x"), ("GET", "/api/v1/riders/me", ""),
      ("POST", "/v1/run", "{}\n{}"), ("GET", "/v1/log", ""), ("POST", "/v1/outbox", "{"),
      ("POST", "/v1/outbox", #"{"key":"a","do":"ToggleFollow","with":{"followee":"bob"}}"#),
    ] {
      for key in [nil, "k"] {
        _ = await http.send(method, target, as: "ann", body: body, key: key)
      }
    }
    for _ in 0..<500 where http.service.underWay > 0 {
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(http.service.underWay == 0)
    let metrics = await http.send("GET", "/metrics", as: nil).body
    #expect(metrics.contains("\neventlog_queue 0\n"))
  }

  @Test("A full queue answers 503 and loses nothing")
  func queue() async throws {
    let test = try await TestCore()
    try await test.people("ann", "bob")
    var options = Service.Options()
    options.bounds.requestsPerSecond = 0
    options.bounds.queue = 0
    let service = Service(
      test.core, log: nil, logFolder: nil, photos: test.ports, photoFolder: "",
      tokens: TestService.Names(), options: options, digest: { $0 })
    var head = RequestHead("POST", "/v1/do/FollowUser")
    head[.authorization] = "Bearer ann"
    let response = await service.answer(to: head, #"{"followee":"bob"}"#)
    #expect(response.status == 503)
    #expect(response.headers.contains { "\($0.name)" == "Retry-After" })
    var outbox = RequestHead("POST", "/v1/outbox")
    outbox[.authorization] = "Bearer ann"
    for _ in 0..<2 {
      let response = await service.answer(
        to: outbox, #"{"key":"a","do":"FollowUser","with":{"followee":"bob"}}"#)
      #expect(response.status == 503)
      guard case .bytes(let body) = response.body else { continue }
      #expect(String(decoding: body, as: UTF8.self).contains("too many commands wait"))
    }
    #expect(await test.count == 2)
  }

  @Test("An ETag does not change with time or with unrelated events")
  func tags() async throws {
    let test = try await TestCore()
    try await test.people("ann", "bob")
    let clock = Mutex(test.clock.environment.now())
    let http = TestService(test.core, test.ports, now: { clock.withLock { $0 } })
    func tag() async -> String? {
      var head = RequestHead("GET", "/v1/do/GetFollowCounts?user=bob")
      head[.authorization] = "Bearer ann"
      let response = await http.service.answer(to: head)
      return response.headers.first { "\($0.name)" == "ETag" }?.value
    }
    let first = await tag()
    #expect(first != nil)
    clock.withLock { $0 = Timestamp(milliseconds: $0.milliseconds + 3_600_000) }
    #expect(await tag() == first)
    _ = await http.send("POST", "/v1/do/UpdateProfile", as: "bob", body: #"{"bio":"x"}"#)
    #expect(await tag() == first)
    _ = await http.send("POST", "/v1/do/FollowUser", as: "ann", body: #"{"followee":"bob"}"#)
    #expect(await tag() != first)
  }
}
