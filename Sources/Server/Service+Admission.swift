import Events
import Synchronization
import UseCases

// Admission: the service decides from a request's head whether the listener reads the body.
extension Service {
  /// A request with an accepted head. It is a class because many closures hold it.
  public final class Admitted: Sendable {
    let head: RequestHead
    let target: Target
    let route: Route
    let session: Session
    let begun: ContinuousClock.Instant
    /// The largest body allowed, in bytes.
    public let bodyLimit: Int
    /// The number of bytes, out of `Bounds.bodies`, that are reserved for this request's body.
    let reserved: Int
    /// The client and the user in whose counts of requests under way the request is.
    let countedAs: [String]
    /// The bytes of the answer in the counts of unread bytes, until the request has ended.
    let unread = Mutex<(bytes: Int, hasEnded: Bool)>((0, false))
    /// Whether the client sends a form. The listener then passes the form's first file as the body.
    public let isMultipart: Bool
    /// Whether nobody waits for the answer any more; set by `watch`.
    private let gone = Mutex<(@Sendable () -> Bool)?>(nil)

    init(
      _ head: RequestHead, _ target: Target, _ route: Route, _ session: Session,
      begun: ContinuousClock.Instant, bodyLimit: Int, reserved: Int, countedAs: [String] = [],
      isMultipart: Bool
    ) {
      (self.head, self.target, self.route, self.session) = (head, target, route, session)
      (self.begun, self.bodyLimit) = (begun, bodyLimit)
      (self.reserved, self.countedAs) = (reserved, countedAs)
      self.isMultipart = isMultipart
    }

    /// Sets the closure that returns whether the client has disconnected. It is called only until
    /// the answer is given.
    public func watch(isGone: @escaping @Sendable () -> Bool) { gone.withLock { $0 = isGone } }

    /// Returns whether the client has disconnected.
    @Sendable func isGone() -> Bool { gone.withLock { $0 }?() ?? false }

    #if Server
      /// Returns the request with an idempotency key.
      func with(key: String) -> Admitted {
        var head = head
        head[.idempotencyKey] = key
        return Admitted(
          head, target, route, session, begun: begun, bodyLimit: bodyLimit, reserved: reserved,
          countedAs: countedAs, isMultipart: isMultipart)
      }
    #endif
  }

  /// The decision about a request's head.
  public enum Admission: Sendable {
    /// The request is admitted. The listener reads the request's body and calls `handle`.
    case admitted(Admitted)
    /// The request is refused with this answer. The listener does not read the request's body.
    case refused(Response)
  }

  func judged(
    _ head: RequestHead, _ begun: ContinuousClock.Instant, _ found: inout Route?
  ) throws(Refusal) -> Admitted {
    if let fault = head.framingFault { throw Refusal(fault) }
    guard let target = Target(head.target) else {
      throw Refusal(
        400, "badRequest", "the address is not valid: a path and query items are expected")
    }
    let route = try Route(head.method, target.path, core.useCases)
    if case .ride = route, let problem = RideRules.problem(with: core.rules) {
      throw .notFound("the ride app's addresses are not served: \(problem)")
    }
    if case .table = route, options.supabase?.hasTables != true {
      throw .table(
        404, "PGRST205", "tables are not served here", hint: "Start the server with --supabase.")
    }
    if case .bucket(let call) = route, !call.isOfClimbingApp, options.supabase?.hasStorage != true {
      throw .notFound("this address is served only with --supabase")
    }
    if case .account = route, !servesAccounts {
      throw .notFound("no accounts are served; start the server with --supabase --accounts FILE")
    }
    found = route
    let (isEnding, isRewriting) = state.withLock { ($0.isEnding, $0.isRewriting) }
    if isEnding { throw Refusal(503, "ending", "the server is stopping") }
    let form = route.form(bounds)
    if isRewriting, form.access != .open {
      throw Refusal(503, "rewriting", "the log is being rewritten; try again")
    }
    var session = Session(caller: nil, expires: .latest)
    if form.access != .open {
      let now = options.now()
      session = try self.session(head, now, form)
      session.caller = core.spelled(session.caller)
      session.caller.photoBase = options.publicURL ?? Self.origin(head)
      if options.readsRequestIDs { session.caller.correlation = head.correlation }
      if session.caller.service == nil,
        !limiter.allows(Self.limited(session.caller, head), now: now)
      {
        throw Refusal(
          429, "tooManyRequests",
          "at most \(bounds.requestsPerSecond) requests a second are allowed; try again")
      }
      if route.storesPhoto, !mayStorePhoto(session.caller) {
        throw Refusal(
          429, "tooManyRequests",
          "one user may store \(bounds.photosPerHour) photos an hour; try again later")
      }
    }
    let isMultipart = try checkBody(head, form.body, form.limit)
    let countedAs = Self.countedAs(session.caller, head.client)
    if unread.isFull(of: session.caller.user) { throw Refusal(refusal(.caller)) }
    let reserved = try begin(session.caller.key, head, form.limit, countedAs)
    return Admitted(
      head, target, route, session, begun: begun, bodyLimit: form.limit, reserved: reserved,
      countedAs: countedAs, isMultipart: isMultipart)
  }

  /// Counts a photo that a caller wants to store. Returns false if there were too many in the last
  /// hour; a service may store any number.
  func mayStorePhoto(_ caller: Caller) -> Bool {
    guard caller.service == nil, let user = caller.user else { return true }
    return photoLimiter.allows(user, now: options.now())
  }

  /// Returns whose requests are counted together: the user's; those of a client's address if nobody
  /// is signed in. No user's id begins with a space.
  private static func limited(_ caller: Caller, _ head: RequestHead) -> String {
    caller.user ?? " " + head.client.key
  }

  /// Returns the client and the user in whose counts a request behind a trusted proxy is. Services
  /// are not counted. No user's id begins with a space.
  private static func countedAs(_ caller: Caller, _ client: RequestHead.Client) -> [String] {
    guard client.isBehindProxy, caller.service == nil else { return [] }
    return [" " + client.key] + (caller.user.map { [$0] } ?? [])
  }

  /// Counts a request as under way, and reserves the bytes of a large body. Returns the number of
  /// reserved bytes.
  private func begin(
    _ caller: String, _ head: RequestHead, _ limit: Int, _ countedAs: [String]
  ) throws(Refusal) -> Int {
    let size =
      head[.contentLength].flatMap { Int($0) } ?? (head[.transferEncoding] == nil ? 0 : limit)
    let reserved = size < 64 << 10 ? 0 : size
    let most = bounds.connectionsPerAddress
    let refusal = state.withLock { state -> Refusal? in
      if most > 0, countedAs.contains(where: { state.underWayOf[$0, default: 0] >= most }) {
        return Refusal(
          429, "tooManyRequests",
          "at most \(most) requests of one address or user may be under way; try again")
      }
      if reserved > 0 {
        let own = state.bodiesOf[caller, default: 0]
        if own > 0, own + reserved > bounds.bodiesPerUser {
          return Refusal(
            429, "tooManyRequests", "you send too many large bodies at once; try again")
        }
        if state.bodies > 0, state.bodies + reserved > bounds.bodies {
          return Refusal(503, "busy", "too many large bodies at once; try again")
        }
        state.bodies += reserved
        state.bodiesOf[caller] = own + reserved
      }
      state.underWay += 1
      for key in countedAs { state.underWayOf[key, default: 0] += 1 }
      return nil
    }
    if let refusal { throw refusal }
    return reserved
  }

  /// Returns the server's address from `Host`; nil if `Host` is not a name with an optional port.
  private static func origin(_ head: RequestHead) -> String? {
    guard let host = head[.host], (1...255).contains(host.utf8.count) else { return nil }
    let isName = host.utf8.allSatisfy { isAlphanumeric($0) || ":.-[]".utf8.contains($0) }
    return isName ? "http://" + host : nil
  }

  private func session(
    _ head: RequestHead, _ now: Timestamp, _ form: Route.Form
  ) throws(Refusal) -> Session {
    if form.errors != .eventlog, let key = options.supabase?.apiKey, head[.apiKey] != key {
      throw unauthorized("the header apikey is missing or is not this server's key")
    }
    if form.errors != .eventlog {
      let token = head[.authorization].map { Self.bearerToken($0) ?? "" }
      let isAnonymous = token == nil || token == head[.apiKey]
      if isAnonymous, !options.trustsUserHeader || head[.user] == nil {
        if form.access == .anyone { return Session(caller: nil, expires: .latest) }
        throw unauthorized("sign in: the apikey is not a user's token")
      }
    }
    if options.trustsUserHeader {
      guard let user = head[.user] else {
        throw unauthorized("the header X-User is missing; it must name the caller")
      }
      do throws(TokenFault) {
        return try Session(subject: user, isService: false, expires: .latest)
      } catch {
        throw unauthorized("X-User is not a valid user id")
      }
    }
    guard let header = head[.authorization] else {
      throw unauthorized("a token is required: Authorization: Bearer TOKEN")
    }
    guard let token = Self.bearerToken(header) else {
      throw unauthorized("Authorization: Bearer TOKEN is expected")
    }
    do throws(TokenFault) {
      return try tokens.session(token, now: now)
    } catch {
      throw unauthorized(error.message, error.code)
    }
  }

  /// Returns a `Content-Type` in lower case, without its parameters.
  private func mediaType(_ header: String) -> String? {
    if header == "application/json" { return header }  // A fast path for nearly all requests.
    return header.lowercased().split(separator: ";").first.map(String.init)
  }

  /// Returns the token after `Bearer`; nil if the header has another form.
  static func bearerToken(_ header: String) -> String? {
    var header = header
    return header.withUTF8 { bytes in
      let scheme = "bearer ".utf8
      guard bytes.count > scheme.count,
        zip(bytes, scheme).allSatisfy({ $0 == $1 || $0 | 0x20 == $1 }),
        !bytes[scheme.count...].contains(0x20)
      else { return nil }
      return String(decoding: bytes[scheme.count...], as: UTF8.self)
    }
  }

  private func unauthorized(_ message: String, _ code: String = "unauthorized") -> Refusal {
    var response = Response.failure(401, code, message)
    response.headers.append(("WWW-Authenticate", "Bearer"))
    return Refusal(response)
  }

  /// Checks a body's encoding, length and type. Returns whether it is `multipart/form-data`.
  private func checkBody(
    _ head: RequestHead, _ form: Route.BodyForm, _ limit: Int
  ) throws(Refusal) -> Bool {
    if let encoding = head[.contentEncoding], encoding.lowercased() != "identity" {
      throw Refusal(415, "unsupportedEncoding", "send the body without compression")
    }
    if let length = head[.contentLength].flatMap(UInt64.init), length > UInt64(limit) {
      throw Refusal(
        limit == 0 ? .failure(400, "badRequest", "no body is expected") : tooLarge(limit))
    }
    let type = head[.contentType].flatMap(mediaType)
    let isMultipart = type == "multipart/form-data"
    switch form {
    case .json where type != nil && type != "application/json" && type != "application/x-ndjson":
      throw Refusal(415, "unsupportedType", "send Content-Type: application/json")
    case .image where isMultipart:
      throw Refusal(415, "unsupportedType", "send the image itself, not a form")
    case .parts where !isMultipart:
      throw Refusal(415, "unsupportedType", "send Content-Type: multipart/form-data with one file")
    case .none, .json, .image, .imageOrParts, .parts: return isMultipart
    }
  }
}
