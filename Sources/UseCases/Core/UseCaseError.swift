import Aggregates
import Events

/// The reason why a use case failed.
public enum UseCaseError: Error, Equatable, Sendable {
  /// The domain's rules forbid the operation.
  case refused(DomainError)
  /// The input is invalid, for example an id with a space in it or an impossible date.
  case invalidInput(InputError)
  /// The photo could not be stored. Nothing was changed.
  case uploadFailed(reason: String)
  /// The photo is stored at `url`, but the profile could not be changed. Try again with
  /// `SetPhotoURL`.
  indirect case profileUpdateFailed(url: String, UseCaseError)
  /// The photo could not be deleted, and the profile still shows it: try again. Every use case that
  /// needs a photo storage also fails with this error if the core was given none.
  case storageFailed(reason: String)
  /// The log could not be read or written.
  case log(LogError)
  /// Only from `EventlogClient`: no server answered in time. If the call was a command, the server
  /// may have performed it.
  case unreachable(reason: String)
  /// Only from `EventlogClient`: nobody is signed in, or the identity provider refuses new tokens.
  case sessionEnded
  /// Only from `EventlogClient`: the server sent an error that no other case here covers, or a
  /// proxy in front of the server answered instead of it.
  case serverError(status: Int, message: String)
  /// Only from `EventlogClient`: this version cannot read the answer. Update the app.
  case incompatible(reason: String)
  /// Only from `EventlogClient`: the task was cancelled. If the call was a command, the server may
  /// have performed it.
  case cancelled
  /// Only from `OfflineStore`: the phone does not hold the state that the call needs, and the
  /// server cannot be reached. Nothing was changed.
  case offline(reason: String)
  /// Only from `OfflineStore` and `RemoteCore.personalLog`: this version cannot read the server's
  /// data. Update the app.
  case upgradeRequired(reason: String)

  /// The error's code, for programs.
  public var code: String {
    switch self {
    case .refused(let error): error.code
    case .invalidInput: "invalidInput"
    case .uploadFailed: "uploadFailed"
    case .profileUpdateFailed: "profileUpdateFailed"
    case .storageFailed: "storageFailed"
    case .log(.timeGoesBack): "timeGoesBack"
    case .log(.conflict): "conflict"
    case .log: "logFailed"
    case .unreachable: "unreachable"
    case .sessionEnded: "sessionEnded"
    case .serverError: "serverError"
    case .incompatible: "incompatible"
    case .cancelled: "cancelled"
    case .offline: "offline"
    case .upgradeRequired: "upgradeRequired"
    }
  }
}

extension UseCaseError: CustomStringConvertible {
  /// A sentence for people.
  public var description: String {
    switch self {
    case .refused(let error): "\(error)"
    case .invalidInput(let error): "\(error)"
    case .uploadFailed(let reason): "the photo could not be stored: \(reason)"
    case .profileUpdateFailed(let url, let error):
      "the photo is stored at \(url), but the profile was not changed: \(error)"
    case .storageFailed(let reason): "the photo could not be deleted: \(reason)"
    case .log(let error): "\(error)"
    case .unreachable(let reason): "the server cannot be reached: \(reason)"
    case .sessionEnded: "the session has ended: sign in again"
    case .serverError(let status, let message): "the server failed with \(status): \(message)"
    case .incompatible(let reason): "this version cannot read the server's answer: \(reason)"
    case .cancelled: "the call was cancelled"
    case .offline(let reason): "this needs the server: \(reason)"
    case .upgradeRequired(let reason): "update the app: \(reason)"
    }
  }
}

/// An invalid field of an input.
public struct InputError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The field's name, with its index in lists: `workouts[2].date`.
  public var field: String
  /// The problem, in words.
  public var problem: String

  /// Creates an error about a field.
  public init(_ field: String, _ problem: String) {
    (self.field, self.problem) = (field, problem)
  }

  public var description: String { "\(field): \(problem)" }
}
