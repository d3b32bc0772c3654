import Events

/// A call of `/storage/v1`, which a request's method and address select.
enum BucketCall: Sendable {
  case buckets
  case bucket(StoredPath.Folder)
  /// Sends an object to a caller who may see it.
  case send(StoredPath)
  /// Sends a profile's photo to everybody.
  case sendPublic(StoredPath)
  /// Sends an object to everybody who has a signed link.
  case sendSigned(StoredPath)
  case info(StoredPath)
  case infoPublic(StoredPath)
  case list(StoredPath.Folder)
  case sign(StoredPath)
  case signMany(StoredPath.Folder)
  case upload(StoredPath, replaces: Bool)
  case remove(StoredPath)
  case removeMany(StoredPath.Folder)

  /// Whether the call may append events.
  var changesLog: Bool {
    switch self {
    case .upload, .remove, .removeMany: true
    default: false
    }
  }

  /// Parses a call.
  /// - Parameter path: all segments of the address; the first is `storage`.
  init(_ method: String, _ path: [String]) throws(Service.Refusal) {
    guard path.count >= 3, path[1] == "v1" else { throw .notFound("no such page") }
    let rest = path.dropFirst(3)
    switch path[2] {
    case "bucket": self = try Self.bucket(method, rest)
    case "object": self = try Self.object(method, rest)
    case "render":
      throw .notSupported(
        "pictures are not transformed", hint: "download the object without transform")
    case "upload":
      throw .notSupported(
        "an upload cannot be resumed", hint: "POST the whole file to /object/BUCKET/PATH")
    default: throw .notFound("there is no /storage/v1/\(printable(path[2]))")
    }
  }

  private static func bucket(
    _ method: String, _ path: ArraySlice<String>
  ) throws(Service.Refusal) -> BucketCall {
    guard method == "GET" || method == "HEAD" else {
      throw .notSupported(
        "buckets cannot be created, changed, emptied or deleted",
        hint: "the server has the buckets avatars and workouts; remove objects by their names")
    }
    guard let name = path.first else { return .buckets }
    guard path.count == 1, let bucket = StoredPath.Folder(rawValue: name) else {
      throw .noBucket(name)
    }
    return .bucket(bucket)
  }

  private static func object(
    _ method: String, _ path: ArraySlice<String>
  ) throws(Service.Refusal) -> BucketCall {
    let isRead = method == "GET" || method == "HEAD"
    let rest = path.dropFirst()
    switch path.first {
    case "public":
      return .sendPublic(try read(rest, isRead, isPublic: true))
    case "authenticated": return .send(try read(rest, isRead))
    case "info" where rest.first == "public":
      return .infoPublic(try read(rest.dropFirst(), isRead, isPublic: true))
    case "info":
      return .info(try read(rest.first == "authenticated" ? rest.dropFirst() : rest, isRead))
    case "sign" where isRead: return .sendSigned(try object(rest))
    case "sign":
      try only(method, "GET", "POST")
      return rest.count == 1 ? .signMany(try bucket(rest)) : .sign(try object(rest))
    case "list":
      try only(method, "POST")
      return .list(try bucket(rest))
    case "move", "copy":
      throw .notSupported(
        "objects cannot be moved or copied",
        hint: "download the object, upload it at its new path, and remove the old one")
    case "upload":
      throw .notSupported(
        "links for uploads are not signed", hint: "POST the file to /object/BUCKET/PATH")
    case "list-v2":
      throw .notSupported("there is no list-v2", hint: "POST /object/list/BUCKET")
    default: return try change(method, path, isRead)
    }
  }

  /// Parses a call whose address is only the bucket and the object.
  private static func change(
    _ method: String, _ path: ArraySlice<String>, _ isRead: Bool
  ) throws(Service.Refusal) -> BucketCall {
    if path.count == 1 {
      let bucket = try bucket(path)
      try only(method, "DELETE")
      return .removeMany(bucket)
    }
    if isRead { return .send(try object(path)) }
    try only(method, "GET", "POST", "PUT", "DELETE")
    if method == "DELETE" { return .remove(try object(path)) }
    _ = try bucket(path.prefix(1))
    guard let object = StoredPath(object: path) else {
      throw Service.Refusal(
        400, "invalidKey",
        "an object's path has a folder, which is an id, and a file name of 1 to 100 letters, "
          + "digits and . _ -, such as USER/1.jpg")
    }
    return .upload(object, replaces: method == "PUT")
  }

  private static func only(_ method: String, _ allowed: String...) throws(Service.Refusal) {
    if !allowed.contains(method) { throw .method(allowed: allowed.joined(separator: ", ")) }
  }

  private static func bucket(
    _ path: ArraySlice<String>
  ) throws(Service.Refusal) -> StoredPath.Folder {
    guard let name = path.first else { throw .notFound("the address has no bucket") }
    guard path.count == 1, let bucket = StoredPath.Folder(rawValue: name) else {
      throw .noBucket(name)
    }
    return bucket
  }

  private static func object(
    _ path: ArraySlice<String>
  ) throws(Service.Refusal) -> StoredPath {
    if path.count < 2 { _ = try bucket(path) }
    _ = try bucket(path.prefix(1))
    guard let object = StoredPath(object: path) else { throw Service.Refusal(.noPhoto) }
    return object
  }

  private static func read(
    _ path: ArraySlice<String>, _ isRead: Bool, isPublic: Bool = false
  ) throws(Service.Refusal) -> StoredPath {
    if !isRead { throw .method(allowed: "GET") }
    let object = try object(path)
    // Supabase's storage answers this for a bucket that is not public.
    if isPublic, object.folder != .avatars { throw .noBucket(object.folder.rawValue) }
    return object
  }

  /// Whether clients of the climbing app use the call, also without `--supabase`.
  var isOfClimbingApp: Bool {
    switch self {
    case .sendPublic: true
    case .send(let object): object.folder == .workouts
    case .upload(let object, _), .remove(let object): object.folder == .avatars
    default: false
    }
  }

  /// Whether the request's body has a photo to encode.
  var storesPhoto: Bool { if case .upload = self { true } else { false } }

  func form(_ bounds: Bounds) -> Route.Form {
    func form(_ path: String) -> Route.Form {
      var form = Route.Form(template: "/storage/v1/" + path, errors: .storage)
      form.access = .anyone
      return form
    }
    func file(_ object: StoredPath, _ kind: String = "") -> Route.Form {
      form("object/\(kind)\(object.folder.rawValue)/{owner}/{file}")
    }
    func json(_ form: Route.Form, _ limit: Int) -> Route.Form {
      var form = form
      (form.body, form.limit) = (.json, limit)
      return form
    }
    var made: Route.Form
    switch self {
    case .buckets: return form("bucket")
    case .bucket: return form("bucket/{bucket}")
    case .send(let object): return file(object)
    case .sendPublic(let object):
      made = file(object, "public/")
      made.access = .open
    case .sendSigned(let object):
      made = file(object, "sign/")
      made.access = .open
    case .info(let object): return file(object, "info/")
    case .infoPublic(let object):
      made = file(object, "info/public/")
      made.access = .open
    case .list: return json(form("object/list/{bucket}"), 16 << 10)
    case .sign(let object): return json(file(object, "sign/"), 16 << 10)
    case .signMany:
      return json(form("object/sign/{bucket}"), min(bounds.body, 512 << 10))
    case .upload(let object, _):
      made = file(object)
      (made.access, made.body, made.limit) = (.callers, .imageOrParts, bounds.photo + 4_096)
    case .remove(let object):
      made = file(object)
      (made.access, made.body) = (.callers, .imageOrParts)
    case .removeMany:
      made = json(form("object/{bucket}"), min(bounds.body, 512 << 10))
      made.access = .callers
    }
    return made
  }
}
