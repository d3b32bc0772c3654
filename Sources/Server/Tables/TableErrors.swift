import Aggregates
import Events
import Tables
import UseCases

/// Returns an error in PostgREST's form. `details` has our own code, if the error is a use case's.
func tableError(_ failure: Response.Failure) -> JSONValue {
  .of([
    "code": .string(failure.code), "message": .string(failure.message),
    "details": failure.details ?? .null, "hint": .optional(failure.hint),
  ])
}

extension Response {
  /// Creates the answer for a refused query or write of a table.
  init(_ fault: TableFault, isSignedIn: Bool) {
    self = .failure(
      Self.status(fault.code, isSignedIn: isSignedIn), fault.code, fault.message,
      details: fault.details.map(JSONValue.string))
    failure?.hint = fault.hint
  }

  /// Creates the answer for a write that a use case refused.
  init(table error: UseCaseError, isSignedIn: Bool) {
    if case .log(let cause) = error, cause.isFromReader {
      self.init(error)
      return
    }
    var fault = TableFault(error.sqlCode, "\(error)", details: error.code)
    if error.status == 503 { fault.message = "the log cannot be written at the moment; try again" }
    if case .invalidInput(let input) = error {
      fault.hint = "The field of the use case is \(input.field)."
    }
    self.init(fault, isSignedIn: isSignedIn)
    if error.status == 503 { status = 503 }
  }

  /// Returns the HTTP status of a code, as PostgREST has it.
  private static func status(_ code: String, isSignedIn: Bool) -> Int {
    switch code {
    case "42501": isSignedIn ? 403 : 401
    case "23505", "23503": 409
    case "54000": 413
    case "PGRST116", "PGRST107": 406
    case "PGRST205", "PGRST202", "42883": 404
    case "PGRST103": 416
    case "PGRST201": 300
    case "XX000", "40001", "53300", "57014": 503
    default: 400
    }
  }
}

extension UseCaseError {
  /// The code that clients of PostgreSQL know for this error.
  fileprivate var sqlCode: String {
    switch self {
    case .invalidInput(let error): error.problem.hasPrefix("missing") ? "23502" : "22P02"
    case .refused(let error): error.sqlCode
    case .profileUpdateFailed(_, let error): error.sqlCode
    case .log(.conflict), .log(.idTaken), .log(.keyUsed): "40001"
    case .log, .uploadFailed, .storageFailed, .unreachable, .sessionEnded, .serverError,
      .incompatible, .cancelled, .offline, .upgradeRequired:
      "XX000"
    }
  }
}

extension DomainError {
  fileprivate var sqlCode: String {
    switch self {
    case .unauthorized, .notAuthorized, .notVisible: "42501"
    case .profileNotFound, .workoutNotFound, .commentNotFound, .groupNotFound, .messageNotFound,
      .reportNotFound:
      "23503"
    case .profileExists, .handleAlreadyTaken, .alreadyRequested, .alreadyReceived,
      .alreadyFriends, .alreadyMember:
      "23505"
    case .displayNameRequired: "23502"
    case .imageTooLarge, .invalidHandle, .displayNameTooLong, .bioTooLong, .outOfRange,
      .unknownSport, .invalidImage, .invalidText, .cannotFollowSelf, .cannotBlockSelf,
      .blockIncomplete, .cannotFriendSelf, .noSuchRequest, .notFriends, .invalidWorkout,
      .commentEmpty, .commentTooLong, .unknownReaction, .notMember, .ownerCannotLeave, .nameEmpty,
      .nameTooLong, .descriptionTooLong, .messageEmpty, .messageTooLong, .reasonTooLong,
      .queryTooShort:
      "23514"
    }
  }
}
