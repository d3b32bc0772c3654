import Aggregates
import Events

/// Why a use case has no answer.
public enum UseCaseError: Error, Equatable, Sendable {
  /// The domain forbids it.
  case refused(DomainError)
  /// The input is not what the use case takes: an id with a space in it, a date that is none.
  case invalidInput(InputError)
  /// The photo could not be stored; nothing was changed.
  case uploadFailed(reason: String)
  /// The photo is stored, but the profile could not be changed: try again.
  indirect case profileUpdateFailed(UseCaseError)
  /// The photo could not be deleted; the profile still shows it: try again.
  case storageFailed(reason: String)
  /// The log could not be read or written.
  case log(LogError)

  /// The name that programs see.
  public var code: String {
    switch self {
    case .refused(let error): error.code
    case .invalidInput: "invalidInput"
    case .uploadFailed: "uploadFailed"
    case .profileUpdateFailed: "profileUpdateFailed"
    case .storageFailed: "storageFailed"
    case .log(.timeGoesBack): "timeGoesBack"
    case .log: "logFailed"
    }
  }
}

extension UseCaseError: CustomStringConvertible {
  /// The sentence a person reads.
  public var description: String {
    switch self {
    case .refused(let error): "\(error)"
    case .invalidInput(let error): "\(error)"
    case .uploadFailed(let reason): "the photo could not be stored: \(reason)"
    case .profileUpdateFailed(let error):
      "the photo is stored, but the profile was not changed: \(error)"
    case .storageFailed(let reason): "the photo could not be deleted: \(reason)"
    case .log(let error): "\(error)"
    }
  }
}

/// A field of an input that is not what it has to be.
public struct InputError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The field's name, with the place in lists: `workouts[2].date`.
  public var field: String
  public var problem: String

  public init(_ field: String, _ problem: String) {
    self.field = field
    self.problem = problem
  }

  public var description: String { "\(field): \(problem)" }
}
