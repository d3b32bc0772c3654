import Aggregates
import Events
import UseCases

extension UseCaseError {
  /// The status that HTTP has for it.
  var status: Int {
    switch self {
    case .invalidInput: 400
    case .refused(let error): error.status
    case .profileUpdateFailed(_, let error): error.status
    case .uploadFailed, .storageFailed: 503
    case .log(let error): error.status
    }
  }
}

extension UseCaseError {
  /// The sentence for whoever calls.
  var publicMessage: String {
    // What went wrong there names paths, which are nobody's business.
    status == 503
      ? "the log or the folder of photos cannot be read or written just now; try again"
      : "\(self)"
  }
}

extension Reply {
  /// As a line for whoever calls.
  var publicJSON: JSONValue {
    guard case .failure(let error) = result else { return json }
    return .of([
      "ok": .bool(false), "error": .string(error.code), "message": .string(error.publicMessage),
    ])
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

extension Response {
  /// `{"result":…,"seq":[…],"position":…}`, or the error.
  init(_ reply: Reply, position: UInt64) {
    switch reply.result {
    case .failure(let error):
      self = .failure(error.status, error.code, error.publicMessage)
    case .success(let value):
      var out = ByteBuffer(capacity: 512)
      out.append("{\"result\":")
      out.append(value)
      out.append(",\"seq\":[")
      for seq in reply.seqs {
        if seq > reply.seqs.lowerBound { out.append(",") }
        out.append(seq)
      }
      out.append("],\"position\":")
      out.append(position)
      out.append("}")
      self = Response(200, [("Content-Type", "application/json")], out.array)
    }
  }
}
