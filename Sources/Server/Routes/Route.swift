import Events
import PersonalLogs
import UseCases

/// The server's function that a request's address and method select.
enum Route: Sendable {
  case health, readiness, metrics, description
  case use(Registry.Entry, asks: Bool)
  case run
  case updates(Registry.Entry)
  case personalLog
  case outbox
  case lines
  case forget
  case photo
  case bucket(BucketCall)
  case ride(RideCall)
  case table(TableCall)
  case account(AccountCall)
  case preflight

  init(
    _ method: String, _ path: [String], _ useCases: UseCaseList = .standard
  ) throws(Service.Refusal) {
    if method == "OPTIONS" {
      self = .preflight
      return
    }
    func only(_ allowed: String..., answer route: Route) throws(Service.Refusal) -> Route {
      if allowed.contains(method == "HEAD" ? "GET" : method) { return route }
      throw .method(allowed: allowed.joined(separator: ", "))
    }
    switch path.first {
    case "healthz" where path.count == 1: self = try only("GET", answer: .health)
    case "readyz" where path.count == 1: self = try only("GET", answer: .readiness)
    case "metrics" where path.count == 1: self = try only("GET", answer: .metrics)
    case "v1" where path.count == 2:
      switch path[1] {
      case "openapi.json": self = try only("GET", answer: .description)
      case "run": self = try only("POST", answer: .run)
      case "log": self = try only("GET", answer: .lines)
      case "personal-log": self = try only("GET", "POST", answer: .personalLog)
      case "outbox": self = try only("POST", answer: .outbox)
      case "forget": self = try only("POST", answer: .forget)
      case "photo": self = try only("PUT", answer: .photo)
      default: throw .notFound("there is no /v1/\(path[1])")
      }
    case "v1" where path.count == 3 && path[1] == "do":
      let entry = try Self.entry(path[2], useCases)
      let asks = method == "GET" || method == "HEAD"
      let route = Route.use(entry, asks: asks)
      self = try entry.writes ? only("POST", answer: route) : only("GET", "POST", answer: route)
    case "v1" where path.count == 3 && path[1] == "updates":
      let entry = try Self.entry(path[2], useCases)
      if entry.writes { throw .notFound("\(path[2]) is a command; only queries have updates") }
      if method == "HEAD" { throw .method(allowed: "GET") }
      self = try only("GET", answer: .updates(entry))
    case "auth": self = .account(try AccountCall(method, path))
    case "rest" where path.count > 1 && path[1] == "v1":
      let call = try TableCall(path.dropFirst(2))
      if case .list = call {
        self = try only("GET", answer: .table(call))
      } else {
        self = try only("GET", "POST", "PATCH", "DELETE", answer: .table(call))
      }
    case "api": self = .ride(try RideCall(method, path))
    case "storage": self = .bucket(try BucketCall(method, path))
    default: throw .notFound("no such page; /v1/openapi.json lists all addresses")
    }
  }

  private static func entry(
    _ name: String, _ useCases: UseCaseList
  ) throws(Service.Refusal) -> Registry.Entry {
    guard let entry = useCases.find(name) else {
      throw .notFound("there is no such use case; /v1/openapi.json lists them")
    }
    return entry
  }

  /// Whether a request may change the log, so that the server that appends must perform it.
  func changesLog(_ head: RequestHead, _ target: Target) -> Bool {
    switch self {
    case .use(let entry, _):
      entry.writes && !target.items.contains { [Service.asOf, Service.explain].contains($0.name) }
    case .run, .outbox, .photo: true
    case .bucket(let call): call.changesLog
    case .ride, .table: head.method != "GET" && head.method != "HEAD"
    case .health, .readiness, .metrics, .description, .updates, .personalLog, .lines, .forget,
      .account, .preflight:
      false
    }
  }

  /// Whether a request changes nothing, so that it may be refused after it was performed.
  func onlyReads(_ head: RequestHead, _ target: Target) -> Bool {
    switch self {
    case .forget, .account: false
    default: !changesLog(head, target)
    }
  }

  /// Whether a request may take seconds: one with many commands, or one with a photo.
  var mayTakeLong: Bool {
    switch self {
    case .run, .outbox, .photo, .bucket: true
    case .use(let entry, _): entry.takesImage
    default: false
    }
  }

  /// Whether a request with an idempotency key is performed only once.
  var isRepeatable: Bool {
    switch self {
    case .use, .outbox, .photo, .table, .bucket: true
    default: false
    }
  }

  struct Form {
    /// The path with placeholders for ids, for the request log and the metrics.
    var template: String
    var access = Access.callers
    /// The form of error answers.
    var errors = ErrorForm.eventlog
    var body = BodyForm.none
    /// The largest body that a request may have, in bytes.
    var limit = 0
  }

  func form(_ bounds: Bounds) -> Form {
    let upload = bounds.photo + 4_096
    return switch self {
    case .health: Form(template: "/healthz", access: .open)
    case .readiness: Form(template: "/readyz", access: .open)
    case .metrics: Form(template: "/metrics", access: .open)
    case .description: Form(template: "/v1/openapi.json", access: .open)
    case .use(let entry, let asks):
      Form(
        template: "/v1/do/\(entry.about.name)", body: .json,
        limit: asks ? 0 : entry.takesImage ? bounds.photo * 4 / 3 + 4_096 : bounds.body)
    case .run: Form(template: "/v1/run", body: .json, limit: bounds.run)
    case .updates(let entry): Form(template: "/v1/updates/\(entry.about.name)")
    case .personalLog: Form(template: "/v1/personal-log", body: .json, limit: bounds.run)
    case .outbox: Form(template: "/v1/outbox", body: .json, limit: bounds.body)
    case .lines: Form(template: "/v1/log")
    case .forget: Form(template: "/v1/forget", body: .json, limit: bounds.body)
    case .photo: Form(template: "/v1/photo", body: .image, limit: bounds.photo)
    case .bucket(let call): call.form(bounds)
    case .ride(.uploadAvatar):
      Form(template: RideCall.uploadAvatar.template, body: .parts, limit: upload)
    case .ride(let call): Form(template: call.template, body: .json, limit: bounds.body)
    case .table(let call):
      Form(
        template: call.template, access: .anyone, errors: .tables, body: .json, limit: bounds.body)
    case .account(let call):
      Form(
        template: call.template, access: .open, errors: .accounts, body: .json,
        limit: AccountCall.bodyLimit)
    case .preflight: Form(template: "*", access: .open)
    }
  }

  enum Access: Sendable {
    /// Everybody, without a check of tokens, also while the log is being rewritten.
    case open
    /// Callers with a token, and callers who are not signed in: no token, or the `apikey` as token.
    case anyone
    /// Callers with a token.
    case callers
  }

  enum BodyForm: Sendable { case none, json, image, imageOrParts, parts }
}

extension Route {
  /// Whether the request's body has a photo to encode.
  var storesPhoto: Bool {
    switch self {
    case .photo, .ride(.uploadAvatar): true
    case .use(let entry, _): entry.takesImage
    case .bucket(let call): call.storesPhoto
    default: false
    }
  }
}

extension Registry.Entry {
  var takesImage: Bool { fields.contains { $0.kind == .image } }
}

extension Service.Refusal {
  static func notFound(_ message: String) -> Self { Self(404, "notFound", message) }

  static func method(allowed: String) -> Self {
    let verb = allowed.contains(",") ? "are" : "is"
    var response = Response.failure(405, "methodNotAllowed", "\(allowed) \(verb) allowed here")
    response.headers.append(("Allow", allowed))
    return Self(response)
  }
}
