import Events

/// The answer of a command in the form that is recorded with its key (`KeyUse.answer`): `[RESULT]`
/// for a success, `{"error":CODE,"details":DETAILS}` for a refusal or an invalid input.
extension Result<JSONValue, UseCaseError> {
  /// The longest recorded answer, in bytes. A longer one is computed again for a retry.
  private static var longest: Int { 8_192 }

  /// The text to record. It is nil for an answer that is too long, and for a failure after which
  /// the command may be retried.
  var recorded: String? {
    let json: JSONValue
    switch self {
    case .success(let result): json = .array([result])
    case .failure(let error):
      json = .object(["error": .string(error.code), "details": error.details ?? .null])
      guard isFinal, case .failure(error)? = Self(recordedJSON: json) else { return nil }
    }
    let text = json.text
    return text.utf8.count <= Self.longest ? text : nil
  }

  /// Reads a recorded answer; nil if this version cannot read it.
  init?(recorded text: String) {
    guard let json = try? JSONValue(text) else { return nil }
    self.init(recordedJSON: json)
  }

  private init?(recordedJSON json: JSONValue) {
    if case .array(let results) = json, let result = results.first {
      self = .success(result)
    } else if case .string(let code)? = json["error"],
      let error = UseCaseError(code: code, message: "", details: json["details"])
    {
      self = .failure(error)
    } else {
      return nil
    }
  }
}

extension Result where Failure == UseCaseError {
  /// Whether the result is final: a success, a refusal or an invalid input. After any other failure
  /// the command may be retried.
  var isFinal: Bool {
    switch self {
    case .success, .failure(.refused), .failure(.invalidInput): true
    case .failure: false
    }
  }
}
