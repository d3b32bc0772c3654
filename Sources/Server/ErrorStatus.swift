import Aggregates
import Events
import UseCases

extension UseCaseError {
  /// The HTTP status for this error.
  var status: Int {
    switch self {
    case .invalidInput: 400
    case .refused(let error): error.status
    case .profileUpdateFailed(_, let error): error.status
    case .uploadFailed, .storageFailed: 503
    case .log(let error): error.status
    // A server that is a client of another server.
    case .unreachable, .sessionEnded, .serverError, .incompatible, .cancelled, .offline,
      .upgradeRequired:
      502
    }
  }
}

extension LogError {
  fileprivate var status: Int {
    switch self {
    case .conflict, .idTaken, .keyUsed, .timeGoesBack: 409
    case .noSuchRevision: 404
    case .invalidEvent: 400
    case .file, .noSuchLog, .notALog, .rewritten, .damaged, .locked, .closed, .notImported,
      .unknownType,
      .store:
      503
    }
  }
}

extension DomainError {
  fileprivate var status: Int {
    switch self {
    case .unauthorized: 401
    case .notAuthorized: 403
    case .profileNotFound, .workoutNotFound, .commentNotFound, .groupNotFound, .messageNotFound,
      .reportNotFound, .notVisible:
      404
    case .profileExists, .handleAlreadyTaken, .alreadyRequested, .alreadyReceived,
      .alreadyFriends, .alreadyMember:
      409
    case .imageTooLarge: 413
    case .invalidHandle, .displayNameTooLong, .displayNameRequired, .bioTooLong, .outOfRange,
      .unknownSport, .invalidImage, .invalidText, .cannotFollowSelf, .cannotBlockSelf,
      .blockIncomplete, .cannotFriendSelf,
      .noSuchRequest, .notFriends, .invalidWorkout, .commentEmpty, .commentTooLong,
      .unknownReaction, .notMember, .ownerCannotLeave, .nameEmpty, .nameTooLong,
      .descriptionTooLong, .messageEmpty, .messageTooLong, .reasonTooLong, .queryTooShort:
      422
    }
  }
}
