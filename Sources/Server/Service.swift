import Events
import PersonalLogs
import Synchronization
import Tables
import UseCases

/// A service that answers HTTP requests: it finds the caller and performs the use case.
///
/// Requests and answers are values (`RequestHead`, `Response`) without connections, so that tests
/// and a fuzzer can call the service like the listener does.
public final class Service: RequestHandler {
  /// A service's settings.
  public struct Options: Sendable {
    /// The limits for clients.
    public var bounds = Bounds()
    /// The origin whose web pages may call the service; `*` allows all origins, nil none.
    public var cors: String?
    /// The server's public address, without a slash at the end. Photo addresses begin with it.
    /// If nil, they begin with `http://` and the request's `Host`.
    public var publicURL: String?
    /// The proxies that name the clients of requests.
    package var trustedProxies = TrustedProxies()
    /// Whether the header `X-User` names the caller, instead of a token.
    public var trustsUserHeader = false
    /// The parts of Supabase's interface that the service offers; nil offers only the storage of
    /// the climbing app.
    public var supabase: Supabase?
    /// Signs and checks links to stored photos; nil if links cannot be signed.
    var links: SignedLinks?
    #if Server
      /// The accounts below `/auth/v1`; nil serves none.
      public var accounts: Accounts?
      /// The other servers of the same shared log; nil if there can be none.
      package var peers: PeerGroup?
    #endif
    /// Whether the caller has the id of the request, for the core's `Tracing`.
    public var readsRequestIDs = false
    /// Receives a line of JSON about each request.
    public var requestLog: (@Sendable (String) -> Void)?
    /// The current time.
    public var now: @Sendable () -> Timestamp = RuntimeEnvironment.system.now
    /// Erases people and items from the log; nil if the log cannot be rewritten. The service calls
    /// this closure while no command is under way. Afterwards the log needs a new core: see
    /// `wantsRestart`.
    public var forget:
      (@Sendable (ForgettingRequest) async -> Result<Forgetting.Report, ForgettingError>)?

    /// Creates the default options.
    public init() {}
  }

  struct State {
    var underWay = 0
    var commands = 0
    var isEnding = false
    /// Whether another server may append to the log now.
    var isReleased = false
    /// Whether the log is being rewritten, or was rewritten and needs a new core.
    var isRewriting = false
    var wantsRestart = false
    /// The bytes reserved for large request bodies: the total, and the bytes of each caller.
    var bodies = 0
    var bodiesOf: [String: Int] = [:]
    /// The requests under way behind trusted proxies, of each client and of each user.
    var underWayOf: [String: Int] = [:]
    var runs: [ObjectIdentifier: LineRun] = [:]
  }

  let core: Core
  /// The log from which lines and past states are read; nil for a log in memory.
  let log: FileLog?
  let photos: PhotoPorts
  let photoFolder: String
  let options: Options
  let metrics = Metrics()
  /// Finds follows by their ids, for the table `follows`.
  let followIDs = FollowIDs()
  let live: ServerSentEvents
  let retries: Retries
  let tokens: any Authenticator
  let limiter: RateLimiter
  let photoLimiter: RateLimiter
  let unread: UnreadAnswers
  /// The OpenAPI document, created by the first request for it.
  private let description = Mutex<[UInt8]?>(nil)
  let state = Mutex(State())
  let pasts = PastAnswers()
  /// The number of explanations being made.
  let explanations = Mutex(0)
  /// The users whose personal logs are being made.
  let personalLogs = Mutex<Set<String>>([])
  /// The photos that are being stored at paths that clients chose, by their folder.
  let uploads = Mutex<[String: Set<String>]>([:])
  /// The users whose outboxes are being performed.
  let outboxes = Mutex<Set<String>>([])

  public var bounds: Bounds { options.bounds }
  public var trustedProxies: TrustedProxies { options.trustedProxies }

  /// Creates a service for a core.
  /// - Parameters:
  ///   - log: the core's log; nil if it is not in a folder.
  ///   - logFolder: the folder for the retry journal; nil keeps the journal in memory.
  ///   - photos: the storage and the encoder of photos.
  ///   - photoFolder: the folder with the storage's files, from which the service sends photos.
  ///   - tokens: checks each request's token and returns the caller.
  ///   - digest: returns a cryptographic hash of at least 8 bytes, by which retries are recognised.
  public init(
    _ core: Core, log: FileLog?, logFolder: String?, photos: PhotoPorts, photoFolder: String,
    tokens: any Authenticator, options: Options, digest: @escaping @Sendable ([UInt8]) -> [UInt8]
  ) {
    (self.core, self.log, self.tokens, self.options) = (core, log, tokens, options)
    (self.photos, self.photoFolder) = (photos, photoFolder)
    let bounds = options.bounds
    limiter = RateLimiter(bounds.requestsPerSecond, atOnce: 2 * bounds.requestsPerSecond)
    photoLimiter = RateLimiter(
      bounds.photosPerHour, inSeconds: 3_600, atOnce: bounds.photosPerHour)
    unread = UnreadAnswers(most: bounds.unreadAnswers, mostPerUser: bounds.unreadAnswersPerUser)
    live = ServerSentEvents(core, bounds, unread, now: options.now)
    retries = Retries(core, RetryJournal(logFolder, now: options.now), digest: digest)
    core.watchBatches { [metrics, now = options.now] in metrics.count($0, now()) }
  }

  /// Decides from a request's head whether the listener reads its body.
  public func admit(_ head: RequestHead) -> Admission {
    let begun = ContinuousClock.now
    var head = head
    head.client = options.trustedProxies.client(of: head)
    var route: Route?
    do throws(Refusal) {
      return .admitted(try judged(head, begun, &route))
    } catch {
      return .refused(completed(error.response, head, route, begun))
    }
  }

  struct Refusal: Error {
    let response: Response
    init(_ status: Int, _ code: String, _ message: String) {
      response = .failure(status, code, message)
    }
    init(_ response: Response) { self.response = response }
  }

  /// Ends an admitted request, and releases the bytes that `admit` reserved for it. Call it once,
  /// after the answer was sent or the connection ended.
  public func ended(_ admitted: Admitted) {
    forgetUnread(of: admitted)
    state.withLock { state in
      state.underWay -= 1
      for key in admitted.countedAs {
        let left = state.underWayOf[key, default: 0] - 1
        state.underWayOf[key] = left > 0 ? left : nil
      }
      guard admitted.reserved > 0 else { return }
      let caller = admitted.session.caller.key
      state.bodies -= admitted.reserved
      let left = state.bodiesOf[caller, default: 0] - admitted.reserved
      state.bodiesOf[caller] = left > 0 ? left : nil
    }
  }

  func tooLarge(_ limit: Int) -> Response {
    .failure(413, "tooLarge", "the body is too large; at most \(limit) bytes are allowed")
  }

  /// A closure that completes an answer, counts and logs it, and returns it. Call it once.
  public typealias Making = @Sendable () -> Response

  /// Answers an admitted request.
  /// - Parameters:
  ///   - body: the request's body; nil if it is longer than allowed.
  ///   - respond: called once with a closure, on any thread, perhaps before this function returns.
  ///     Call that closure on the thread that sends the answer, because `respond` may run on the
  ///     thread that appends.
  public func handle(
    _ admitted: Admitted, body: [UInt8]?, _ respond: @escaping @Sendable (@escaping Making) -> Void
  ) {
    let finish: @Sendable (Response) -> Void = { [self] response in
      let response = bounded(response, admitted)
      respond { [self] in completed(response, admitted.head, admitted.route, admitted.begun) }
    }
    if state.withLock({ $0.isReleased }) {
      return finish(.failure(503, "ending", "the server is stopping"))
    }
    guard let body else { return finish(tooLarge(admitted.bodyLimit)) }
    guard let position = admitted.head.leastPosition, position > core.position else {
      return perform(admitted, body, finish)
    }
    Task {
      if await core.reach(position, within: Self.longestWait) {
        perform(admitted, body, finish)
      } else {
        finish(.failure(503, "behind", "this server has not read event \(position) yet; try again"))
      }
    }
  }

  /// The longest wait for the position that a client asks for.
  private static let longestWait = Duration.seconds(5)

  /// Performs a request on the server that appends to the log.
  private func perform(
    _ request: Admitted, _ body: [UInt8], _ respond: @escaping @Sendable (Response) -> Void
  ) {
    #if Server
      if let peers = options.peers, request.route.changesLog(request.head, request.target) {
        return peers.perform(
          request, body, here: { [self] in route($0, body, $1) }, respond)
      }
    #endif
    route(request, body, respond)
  }

  /// Performs a request on this server.
  func route(
    _ request: Admitted, _ body: [UInt8], _ respond: @escaping @Sendable (Response) -> Void
  ) {
    let caller = request.session.caller
    switch request.route {
    case .health: respond(Response(200, [("Content-Type", "text/plain")], Array("ok\n".utf8)))
    case .readiness: Task { respond(await readiness()) }
    case .metrics:
      respond(Response(200, [("Content-Type", "text/plain; version=0.0.4")], measures()))
    case .description:
      let text = description.withLock { made in
        if made == nil { made = Array(OpenAPI.document(core.useCases).text.utf8) }
        return made ?? []
      }
      respond(Response(200, [("Content-Type", "application/json")], text))
    case .preflight: respond(Response(204))
    case .use(let entry, let asks): use(entry, asks, request, body, respond)
    case .run: respond(runLines(body, caller))
    case .updates(let entry): respond(updates(entry, request))
    case .personalLog: personalLog(request, body, respond)
    case .outbox: performOutbox(request, body, respond)
    case .lines: respond(sendLines(request))
    case .forget: Task { respond(await forget(body, caller)) }
    case .photo:
      perform("UploadProfilePhoto", image: body, request, respond)
    case .table(let call): table(call, request, body, respond)
    case .bucket(let call): answer(call, request, body, respond)
    case .ride(let call): queued(respond) { [self] in await ride(call, body, caller) }
    case .account(let call): answer(call, request, body, respond)
    }
  }

  /// Responds with the result of `answer`. Until then the request counts as one command in the
  /// queue.
  func queued(
    _ respond: @escaping @Sendable (Response) -> Void,
    _ answer: @escaping @Sendable () async -> Response
  ) {
    if let full = enqueue() { return respond(full) }
    Task {
      let response = await answer()
      dequeue()
      respond(response)
    }
  }

  // MARK: Commands under way

  /// Counts commands as waiting in the queue. Returns an error answer if the queue is full;
  /// otherwise nil.
  func enqueue(_ count: Int = 1) -> Response? {
    let isFull = state.withLock { state in
      if state.commands + count > bounds.queue { return true }
      state.commands += count
      return false
    }
    return isFull ? .failure(503, "busy", "too many commands wait; try again") : nil
  }

  func dequeue(_ count: Int = 1) { state.withLock { $0.commands -= count } }

  /// Registers a `/v1/run` request. Returns an error answer if too many such requests are under
  /// way; otherwise nil.
  func began(_ run: LineRun) -> Response? {
    state.withLock { state in
      if state.runs.count >= bounds.runs || state.isEnding || state.isRewriting {
        return .failure(503, "busy", "too many runs at once; try again")
      }
      let own = state.runs.values.count { $0.caller.key == run.caller.key }
      if run.caller.service == nil, own >= bounds.runsPerUser {
        return .failure(
          429, "tooManyRequests", "one user may have \(bounds.runsPerUser) runs at once")
      }
      state.runs[ObjectIdentifier(run)] = run
      return nil
    }
  }

  func ended(_ run: LineRun) { state.withLock { $0.runs[ObjectIdentifier(run)] = nil } }

  // MARK: The state of the server

  private func readiness() async -> Response {
    func notReady(_ message: String) -> Response { .failure(503, "notReady", message) }
    if state.withLock({ $0.isEnding }) { return notReady("the server is stopping") }
    if isRewriting { return notReady("the log is being rewritten") }
    if log?.failure != nil { return notReady("the log refuses appends; restart the server") }
    if log?.cannotWrite == true { return notReady("the clone's folder cannot be written") }
    if !metrics.isWritable(options.now()) {
      return notReady("the last command could not be appended")
    }
    guard let head = try? await core.head() else { return notReady("the log cannot be read") }
    let position = core.position
    // A full queue of commands may be durable and not applied yet. That is not a delay.
    let delay = UInt64(bounds.queue)
    if head > position + delay { return .catchingUp }
    var role = "writer"
    #if Server
      if let peers = options.peers {
        guard peers.hasWriter else { return notReady("no server appends to the log now") }
        if !peers.isWriter {
          role = "reader"
          if let shared = log?.sharedHead, shared > core.position + delay { return .catchingUp }
        }
      }
    #endif
    return .json(
      .object([
        .init("ready", .bool(true)), .init("position", .int(position)),
        .init("role", .string(role)),
      ]))
  }

  private func measures() -> [UInt8] {
    let waiting = commands
    let position = core.position
    return Array(
      metrics.text([
        ("queue", "Commands that wait to be durable.", Double(waiting)),
        ("streams", "Open event streams.", Double(live.count)),
        ("unread_bytes", "Bytes of answers that clients have not read.", Double(unread.count)),
        (
          "retry_journal_failures", "Keyed commands that could not be written to the journal.",
          Double(retries.journal.failures)
        ),
        (
          "refusal_journal_failures", "Refusals that could not be written to the journal.",
          Double(core.tracing.refusals?.failures ?? 0)
        ),
        ("position", "The last event that queries see.", Double(position)),
        (
          "checkpoint_age_events", "Events since the last checkpoint.",
          Double(position - min(position, core.checkpointed))
        ),
      ]).utf8)
  }

  private func completed(
    _ response: Response, _ head: RequestHead, _ route: Route?, _ begun: ContinuousClock.Instant
  ) -> Response {
    var response = response
    let form = route?.form(bounds)
    let template = form?.template ?? "other"
    if let form, form.access != .open {
      response.headers.append(("Eventlog-Position", "\(core.position)"))
    }
    (form?.errors ?? ErrorForm(ofTarget: head.target)).rewrite(&response)
    if let origin = options.cors, let asker = head[.origin] {
      response.addCORS(origin, asker, isPreflight: head.method == "OPTIONS")
    }
    let duration = (ContinuousClock.now - begun).inSeconds
    metrics.count(template, response, seconds: duration)
    if let write = options.requestLog {
      let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
      var members: [JSONValue.Member] = [
        .init("time", .string("\(options.now())")),
        .init("method", .string(methods.contains(head.method) ? head.method : "other")),
        .init("path", .string(template)), .init("status", .int(response.status)),
        .init("ms", .number("\((duration * 100_000).rounded() / 100)")),
      ]
      if let error = response.failure { members.append(.init("error", .string(error.code))) }
      if case .bytes(let body) = response.body { members.append(.init("bytes", .int(body.count))) }
      write(JSONValue.object(members).text)
    }
    return response
  }

  /// Sends new answers to the event streams until the task is cancelled.
  public func follow() async { await live.follow() }

  /// Keeps event streams alive. Call it about every second.
  public func beat() { live.beat() }

  /// Refuses requests from now on, and ends event streams. `/v1/run` requests end after the lines
  /// that are being performed.
  public func end() {
    let runs = state.withLock { state in
      state.isEnding = true
      return Array(state.runs.values)
    }
    for run in runs { run.stop() }
    live.end()
  }

  /// Performs no more requests, because another server opens the log. Call it after `end`.
  func release() { state.withLock { $0.isReleased = true } }

  public func count(connection change: Int) { metrics.count(connection: change) }

  /// Whether the log was rewritten and needs a new core.
  public var wantsRestart: Bool { state.withLock { $0.wantsRestart } }

  /// Whether the log is being rewritten, or was rewritten.
  var isRewriting: Bool { state.withLock { $0.isRewriting } }

  /// The number of commands that wait to be durable.
  var commands: Int { state.withLock { $0.commands } }

  /// The number of requests without a complete answer, including event streams.
  public var underWay: Int { state.withLock { $0.underWay } }
}

extension Response {
  /// The answer of a server whose answers are more than a full queue of commands behind the log.
  fileprivate static var catchingUp: Response {
    let message = "this server has not read the newest events yet"
    var response = json(
      .object([
        .init("error", .string("catchingUp")), .init("message", .string(message)),
        .init("role", .string("catching-up")),
      ]), 503)
    response.failure = Failure(code: "catchingUp", message: message, details: nil)
    response.headers.append(("Retry-After", "1"))
    return response
  }

  fileprivate mutating func addCORS(_ origin: String, _ asker: String, isPreflight: Bool) {
    headers.append(("Vary", "Origin"))
    guard origin == "*" || origin == asker else { return }
    headers.append(("Access-Control-Allow-Origin", origin))
    headers.append(
      (
        "Access-Control-Expose-Headers",
        "ETag, Retry-After, Idempotent-Replayed, Content-Range, Preference-Applied, "
          + "Eventlog-Position"
      ))
    guard isPreflight else { return }
    headers.append(("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE"))
    headers.append(
      (
        "Access-Control-Allow-Headers",
        "Authorization, Content-Type, If-None-Match, Idempotency-Key, Last-Event-ID, X-User, "
          + "x-upsert, X-Request-ID, traceparent, apikey, X-Client-Info, Prefer, Range, "
          + "Range-Unit, "
          + "Accept-Profile, Content-Profile, X-Supabase-Api-Version, Eventlog-Min-Position"
      ))
    headers.append(("Access-Control-Max-Age", "600"))
  }
}
