import Events

/// Returns an error in the form of Supabase's storage: `error` is the name that its clients know,
/// and `code` is the code of `/v1`.
func storageError(_ failure: Response.Failure, _ status: Int) -> JSONValue {
  var members: [JSONValue.Member] = [
    .init("statusCode", .string("\(status)")),
    .init("error", .string(storageErrorName(failure.code, status))),
    .init("message", .string(failure.message)), .init("code", .string(failure.code)),
  ]
  if let details = failure.details { members.append(.init("details", details)) }
  if let hint = failure.hint { members.append(.init("hint", .string(hint))) }
  return .object(members)
}

/// Returns the name that Supabase's storage has for an error.
private func storageErrorName(_ code: String, _ status: Int) -> String {
  switch code {
  case "bucketNotFound": return "Bucket not found"
  case "notFound": return "Not Found"
  case "photoExists": return "Duplicate"
  case "photoLocked": return "ResourceLocked"
  case "notSupported": return "NotSupported"
  case "invalidKey": return "InvalidKey"
  case "invalidInput": return "InvalidParameter"
  case "linkInvalid": return "InvalidSignature"
  case "linkExpired": return "ExpiredToken"
  default: break
  }
  switch status {
  case 401, 403: return "Unauthorized"
  case 404: return "not_found"
  case 413: return "Payload too large"
  case 415: return "invalid_mime_type"
  case 429: return "SlowDown"
  case 500...: return "InternalError"
  default: return "InvalidRequest"
  }
}

extension Response {
  static let noPhoto = failure(404, "photoNotFound", "there is no such photo")

  static func photoExists(_ photo: StoredPath) -> Response {
    .failure(409, "photoExists", "\(photo.text) exists; x-upsert: true replaces it")
  }

  /// The answer to a change of the buckets, as JSON to record with the request's key.
  var recorded: JSONValue {
    if let failure {
      return .of([
        "status": .int(status), "code": .string(failure.code),
        "message": .string(failure.message), "details": failure.details ?? .null,
        "hint": .optional(failure.hint),
      ])
    }
    var result = JSONValue.null
    if case .bytes(let bytes) = body,
      let value = try? JSONValue(String(decoding: bytes, as: UTF8.self))
    {
      result = value
    }
    return .of(["status": .int(status), "result": result])
  }

  /// Reads a recorded answer; nil if the value is none.
  init?(recorded answer: JSONValue) {
    guard let status = answer["status"]?.uint64.flatMap({ Int(exactly: $0) }) else { return nil }
    if let result = answer["result"] {
      self = .json(result, status)
      return
    }
    guard case .string(let code)? = answer["code"], case .string(let message)? = answer["message"]
    else { return nil }
    let details = answer["details"].flatMap { $0 == .null ? nil : $0 }
    self = .failure(status, code, message, details: details)
    if case .string(let hint)? = answer["hint"] { failure?.hint = hint }
  }

  /// Returns an answer whose status is the one that Supabase's storage has for this error.
  var asOfStorage: Response {
    guard let failure, failure.code == "invalidImage" else { return self }
    var response = self
    response.status = 415
    return response
  }
}

extension Service.Refusal {
  static func noBucket(_ name: String) -> Self {
    Self(
      404, "bucketNotFound",
      "there is no bucket \(printable(name)) here; the buckets are avatars and workouts")
  }

  /// The refusal of a feature of Supabase's storage.
  static func notSupported(_ message: String, hint: String) -> Self {
    var response = Response.failure(409, "notSupported", message)
    response.failure?.hint = hint
    return Self(response)
  }
}
