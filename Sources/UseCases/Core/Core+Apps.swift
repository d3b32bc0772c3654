import Aggregates
import EventLog
import Events
import Projections

// What an app with events of its own does with a core.

extension Core {
  /// Appends events of the app's own and what the core's commands decide, all in one commit.
  ///
  /// ```swift
  /// try await core.commit(as: "alice") { [core] model throws(UseCaseError) in
  ///   model.expect("profile/bob", .streamExists)
  ///   _ = try FollowUser(core).decide(.init(followee: "bob"), in: &model)
  ///   _ = try GiveChup(core).decide(.init(workout: "run"), in: &model)
  /// }
  /// ```
  /// `docs/app-events.md` appends events of an app's own.
  /// - Parameter decide: called again if others have appended meanwhile. If it throws, nothing is
  ///   appended.
  /// - Returns: what `decide` returns, once the events are durable and queries see them.
  /// - Throws: `unauthorized` if nobody calls; what `decide` throws; `.log(.conflict)` if what is
  ///   expected of a stream does not hold; `.log(.invalidEvent)` for a stream that cannot be one.
  public func commit<Decided: Sendable>(
    as caller: Caller,
    _ decide: @escaping @Sendable (inout Model) throws(UseCaseError) -> Decided
  ) async throws(UseCaseError) -> Decided {
    let commit = Call.Work.command { (_, model) throws(UseCaseError) in
      _ = try model.actorOrService()
      let decided = AppDecision(value: try decide(&model))
      return { _ in decided }
    }
    return try await performed(Call("", commit, as: caller), AppDecision<Decided>.self).output.value
  }

  /// Asks a projection of the app's own, as of the last event that queries see.
  /// - Precondition: the projection is in the catalogue that the core was opened with.
  public func ask<P: ExplainedProjection, Answer: Sendable>(
    _: P.Type, as caller: Caller = nil,
    _ question: (AppReading<P>) throws(UseCaseError) -> Answer
  ) async throws(UseCaseError) -> Answer {
    try await answer(to: caller) { (model: borrowing Model, caller) throws(UseCaseError) in
      try question(AppReading(copy model, caller))
    }.result.get()
  }

  /// The answer of a projection of the app's own now, and again whenever it changes.
  public func updates<P: ExplainedProjection, Answer>(
    of _: P.Type, as caller: Caller = nil,
    _ question: @escaping @Sendable (AppReading<P>) throws(UseCaseError) -> Answer
  ) -> Updates<Answer> {
    Updates(core: self) { () async throws(UseCaseError) in
      try await self.ask(P.self, as: caller, question)
    }
  }
}

/// What an app decided, which is not written as JSON.
private struct AppDecision<Value: Sendable>: Answer {
  let value: Value
  var json: JSONValue { .null }
  static func == (_: Self, _: Self) -> Bool { false }
}

extension Past {
  /// Asks a projection of the app's own, as of the position.
  /// - Complexity: as for a query about everybody.
  public func ask<P: ExplainedProjection, Answer: Sendable>(
    _: P.Type, as caller: Caller = nil,
    _ question: @Sendable (AppReading<P>) throws(UseCaseError) -> Answer
  ) async throws(UseCaseError) -> Answer {
    try await state().ask(P.self, as: caller, question)
  }
}

extension Model {
  /// A projection of the app's own, as a caller of a query asks it.
  /// - Precondition: the projection is in the catalogue that the core was opened with.
  public func reading<P: ExplainedProjection>(
    _: P.Type, as caller: Caller = nil
  ) -> AppReading<P> {
    AppReading(self, caller)
  }
}

/// A projection of the app's own, as somebody asks it.
public struct AppReading<P: ExplainedProjection> {
  public let projection: P
  /// The table that gave the events their ids.
  public let names: Names
  private let model: Model
  private let viewer: Viewer

  init(_ model: Model, _ caller: Caller) {
    guard let projection = model.projection(P.self) else {
      preconditionFailure("the catalogue of this core has no projection '\(P.name)'")
    }
    (self.projection, names) = (projection, model.names)
    (self.model, viewer) = (model, model.viewer(caller))
  }

  /// Whether the user exists for whoever asks: has an open account, and is not hidden from them.
  public func sees(_ user: UserID) -> Bool { model.visibility(of: user, viewer) != .hidden }
}

// What an app's commit decides with.
extension Model {
  /// A projection of the app's own: what is durable, without what is being decided.
  public func projection<P: ExplainedProjection>(_: P.Type) -> P? { views.all[P.self] }

  /// Records an event of the app's own, which the commit then appends.
  public mutating func append(_ event: some AppEvent) {
    draft.events.append(Drafted(event: .app(AppRecord(event, names)), cause: draft.cause))
  }

  /// Has the commit expect a revision of a stream, written or only read.
  public mutating func expect(_ stream: String, _ revision: ExpectedRevision) {
    draft.expecting.append(Commit.Expectation(stream, revision))
  }
}
