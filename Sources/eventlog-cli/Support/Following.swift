import UseCases

extension Option {
  /// Where a command that follows a log keeps how far it has come.
  static let position = Option.value(
    "--position", "FILE", "Where it is kept how far this has come; made if it is not there.")
  static let follow = Option.flag("--follow", "Go on with what is appended, until interrupted.")
}

extension Invocation {
  func position() throws(Failure) -> PositionFile {
    guard let path = value("--position") else {
      throw .usage("add --position FILE, where it is kept how far this has come")
    }
    return PositionFile(path)
  }
}

func following<T>(
  _ body: () async throws(SubscriptionError) -> T
) async throws(Failure) -> T {
  do throws(SubscriptionError) {
    return try await body()
  } catch {
    switch error {
    case .log(let error): throw Failure(error)
    case .position: throw Failure(.data, "\(error)")
    case .failed: throw Failure(.inputOutput, "\(error)")
    }
  }
}
