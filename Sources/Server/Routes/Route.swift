import Events
import UseCases

/// What a request asks for.
enum Route: Sendable {
  case health, readiness, metrics, description
  case use(Registry.Entry, asks: Bool)
  case run
  case updates(Registry.Entry)
  case lines
  case forget
  case photo
  case storedPhoto(StoredPhoto)
  case storage(StoredPhoto, StorageMethod)
  case workoutPhoto(StoredPath)
  case ride(RideCall)
  case preflight

  enum StorageMethod: Sendable { case put, delete }

  /// Why there is no route.
  enum Miss: Error {
    case notFound(String)
    case method(allowed: String)
  }

  init(
    _ method: String, _ path: [String], _ useCases: UseCaseList = .standard
  ) throws(Miss) {
    if method == "OPTIONS" {
      self = .preflight
      return
    }
    func only(_ allowed: String, _ route: Route) throws(Miss) -> Route {
      let wanted = method == "HEAD" ? "GET" : method
      if wanted == allowed || allowed.hasPrefix(wanted + ",") || allowed.hasSuffix(" " + wanted)
        || allowed.contains(" \(wanted),")
      {
        return route
      }
      throw .method(allowed: allowed)
    }
    switch path.first {
    case "healthz" where path.count == 1: self = try only("GET", .health)
    case "readyz" where path.count == 1: self = try only("GET", .readiness)
    case "metrics" where path.count == 1: self = try only("GET", .metrics)
    case "v1" where path.count == 2:
      switch path[1] {
      case "openapi.json": self = try only("GET", .description)
      case "run": self = try only("POST", .run)
      case "log": self = try only("GET", .lines)
      case "forget": self = try only("POST", .forget)
      case "photo": self = try only("PUT", .photo)
      default: throw .notFound("there is no /v1/\(path[1])")
      }
    case "v1" where path.count == 3 && path[1] == "do":
      let entry = try Self.entry(path[2], useCases)
      let asks = method == "GET" || method == "HEAD"
      self = try only(entry.writes ? "POST" : "GET, POST", .use(entry, asks: asks))
    case "v1" where path.count == 3 && path[1] == "updates":
      let entry = try Self.entry(path[2], useCases)
      if entry.writes { throw .notFound("\(path[2]) changes things; updates are of queries") }
      if method == "HEAD" { throw .method(allowed: "GET") }
      self = try only("GET", .updates(entry))
    case "api": self = .ride(try RideCall(method, path))
    case "storage":
      guard path.starts(with: ["storage", "v1", "object"]) else { throw .notFound("no such page") }
      if path.dropFirst(3).first == "public", let photo = StoredPhoto(path.dropFirst(4)) {
        self = try only("GET", .storedPhoto(photo))
      } else if let photo = StoredPhoto(path.dropFirst(3)) {
        self = try only("POST, PUT, DELETE", .storage(photo, method == "DELETE" ? .delete : .put))
      } else if let photo = StoredPath(workoutPhoto: path.dropFirst(3)) {
        self = try only("GET", .workoutPhoto(photo))
      } else {
        throw .notFound("photos are at /storage/v1/object/avatars/USER/FILE")
      }
    default: throw .notFound("no such page; /v1/openapi.json lists what there is")
    }
  }

  private static func entry(
    _ name: String, _ useCases: UseCaseList
  ) throws(Miss) -> Registry.Entry {
    guard let entry = useCases.find(name) else {
      throw .notFound("there is no such use case; /v1/openapi.json lists them")
    }
    return entry
  }

  /// The path with nothing of anybody in it, for the log of requests and the metrics.
  var template: String {
    switch self {
    case .health: "/healthz"
    case .readiness: "/readyz"
    case .metrics: "/metrics"
    case .description: "/v1/openapi.json"
    case .use(let entry, _): "/v1/do/\(entry.about.name)"
    case .run: "/v1/run"
    case .updates(let entry): "/v1/updates/\(entry.about.name)"
    case .lines: "/v1/log"
    case .forget: "/v1/forget"
    case .photo: "/v1/photo"
    case .storedPhoto: "/storage/v1/object/public/avatars/{user}/{file}"
    case .storage: "/storage/v1/object/avatars/{user}/{file}"
    case .workoutPhoto: "/storage/v1/object/workouts/{workout}/{file}"
    case .ride(let call): call.template
    case .preflight: "*"
    }
  }

  /// Whether anybody may ask.
  var isOpen: Bool {
    switch self {
    case .health, .readiness, .metrics, .description, .storedPhoto, .preflight: true
    case .use, .run, .updates, .lines, .forget, .photo, .storage, .workoutPhoto, .ride: false
    }
  }

  /// The largest body, in bytes.
  func bodyLimit(_ bounds: Bounds) -> Int {
    switch self {
    case .health, .readiness, .metrics, .description, .storedPhoto, .workoutPhoto, .preflight,
      .updates, .lines:
      0
    case .use(let entry, let asks):
      asks ? 0 : entry.takesImage ? bounds.photo * 4 / 3 + 4_096 : bounds.body
    case .run: bounds.run
    case .forget: bounds.body
    case .photo: bounds.photo
    case .storage(_, let method): method == .put ? bounds.photo + 4_096 : 0
    case .ride(let call): call == .uploadAvatar ? bounds.photo + 4_096 : bounds.body
    }
  }

  /// The form of the body.
  var bodyForm: BodyForm {
    switch self {
    case .use, .run, .forget: .json
    case .photo: .image
    case .storage: .imageOrParts
    case .ride(let call): call == .uploadAvatar ? .parts : .json
    case .health, .readiness, .metrics, .description, .storedPhoto, .workoutPhoto, .preflight,
      .updates, .lines:
      .none
    }
  }

  enum BodyForm: Sendable { case none, json, image, imageOrParts, parts }
}

extension Registry.Entry {
  var takesImage: Bool { fields.contains { $0.kind == .image } }
}
