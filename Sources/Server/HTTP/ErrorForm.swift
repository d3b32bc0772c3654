import Events

/// The form in which an error answer's body describes the error.
///
/// `Response.failure` writes the form of `/v1`. `rewrite` replaces the body for clients of other
/// interfaces, with the same status.
enum ErrorForm: Sendable {
  /// `{"error":CODE,"message":…,"details":{…}}`.
  case eventlog
  /// PostgREST's form, for `/rest/v1`.
  case tables
  /// The form of Supabase's storage, for `/storage/v1`.
  case storage
  /// GoTrue's form, for `/auth/v1`.
  case accounts

  /// Chooses the form by the first part of a path, for requests without a route.
  init(ofTarget target: String) {
    self =
      target.hasPrefix("/rest/")
      ? .tables
      : target.hasPrefix("/storage/")
        ? .storage
        : target.hasPrefix("/auth/") ? .accounts : .eventlog
  }

  /// Replaces an error answer's body with this form. Does not change other answers.
  func rewrite(_ response: inout Response) {
    guard let failure = response.failure else { return }
    let body: JSONValue
    switch self {
    case .eventlog: return
    case .tables: body = tableError(failure)
    case .storage: body = storageError(failure, response.status)
    case .accounts: body = accountError(failure, response.status)
    }
    response.body = .bytes(Array(body.text.utf8))
  }
}
