import Aggregates
import EventLog
import Events
import Projections

// This file is for apps that have their own events.

extension Core {
  /// Appends the app's own events and the events of core commands in one commit.
  ///
  /// ```swift
  /// try await core.commit(as: "alice") { [core] model throws(UseCaseError) in
  ///   model.expect("profile/bob", .streamExists)
  ///   _ = try FollowUser(core).decide(.init(followee: "bob"), in: &model)
  ///   _ = try GiveChup(core).decide(.init(workout: "run"), in: &model)
  /// }
  /// ```
  /// The core calls `decide` again if another writer appended meanwhile. If `decide` throws, the
  /// core appends nothing.
  ///
  /// `docs/app-events.md` shows how to append an app's own events.
  /// - Returns: the result of `decide`, after the events are durable and queries see them.
  /// - Throws: `unauthorized` if nobody is signed in; the errors of `decide`; `.invalidInput` if an
  ///   event's stream is not two to four ids; `.log(.conflict)` if a stream does not have the
  ///   expected revision.
  public func commit<Decided: Sendable>(
    as caller: Caller,
    _ decide: @escaping @Sendable (inout Model) throws(UseCaseError) -> Decided
  ) async throws(UseCaseError) -> Decided {
    let commit = Call.Work.command { (_, model) throws(UseCaseError) in
      _ = try model.actorOrService()
      let decided = AppDecision(try decide(&model))
      return .known(decided)
    }
    return try await performed(Call("", commit, as: caller), AppDecision<Decided>.self).output.value
  }

  /// Answers a question from one of the app's own projections, as of the last event that queries
  /// see.
  /// - Precondition: the projection is in the catalogue that the core was opened with.
  public func ask<P: ExplainedProjection, Answer: Sendable>(
    _: P.Type, as caller: Caller = nil,
    _ question: (AppReading<P>) throws(UseCaseError) -> Answer
  ) async throws(UseCaseError) -> Answer {
    try await answer(to: caller) { (model, caller) throws(UseCaseError) in
      try question(AppReading(model, caller))
    }.result.get()
  }

  /// Returns the answer to a question about one of the app's own projections now, and again
  /// whenever the answer changes.
  public func updates<P: ExplainedProjection, Answer>(
    of _: P.Type, as caller: Caller = nil,
    _ question: @escaping @Sendable (AppReading<P>) throws(UseCaseError) -> Answer
  ) -> Updates<Answer> {
    Updates(core: self) { () async throws(UseCaseError) in
      try await self.ask(P.self, as: caller, question)
    }
  }
}

/// A wrapper that makes the result of an app's decision an `Answer`; it is never written as JSON.
private struct AppDecision<Value: Sendable>: FieldValue {
  static var kind: Field.Kind { .nothing }
  static var placeholder: Self { preconditionFailure("an app's decision is not read") }
  let value: Value
  var json: JSONValue { .null }
  init(_ value: Value) { self.value = value }
  init(_ json: JSONValue, _ place: FieldPlace) throws(InputError) {
    throw InputError(place.name, "an app's decision is not read")
  }
  static func == (_: Self, _: Self) -> Bool { false }
}

extension Past {
  /// Answers a question from one of the app's own projections, as of this past's position.
  /// - Complexity: that of a query about all users.
  public func ask<P: ExplainedProjection, Answer: Sendable>(
    _: P.Type, as caller: Caller = nil,
    _ question: @Sendable (AppReading<P>) throws(UseCaseError) -> Answer
  ) async throws(UseCaseError) -> Answer {
    try await state().ask(P.self, as: caller, question)
  }
}

extension Model {
  /// Returns one of the app's own projections, to answer a caller's questions.
  /// - Precondition: the projection is in the catalogue that the core was opened with.
  public func reading<P: ExplainedProjection>(
    _: P.Type, as caller: Caller = nil
  ) -> AppReading<P> {
    AppReading(self, caller)
  }
}

/// One of the app's own projections, read by a caller.
public struct AppReading<P: ExplainedProjection> {
  /// The app's projection.
  public let projection: P
  /// The table that translates the dense ids in events and projections to ids.
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

  /// Returns whether a user's account is open and not hidden from the caller.
  public func sees(_ user: UserID) -> Bool { model.visibility(of: user, viewer) != .hidden }
}

// These functions are for the closure that `Core.commit` calls.
extension Model {
  /// Returns an app's own projection; nil if it is not in the core's catalogue.
  ///
  /// The projection does not include the events of the current commit.
  public func projection<P: ExplainedProjection>(_: P.Type) -> P? { views.all[P.self] }

  /// Adds one of the app's own events to the current commit.
  public mutating func append(_ event: some AppEvent) {
    draft.events.append(Drafted(event: .app(AppRecord(event, names)), cause: draft.cause))
  }

  /// Makes the commit fail unless the stream has the expected revision. The commit need not write
  /// to the stream.
  public mutating func expect(_ stream: String, _ revision: ExpectedRevision) {
    draft.expecting.append(Commit.Expectation(stream, revision))
  }
}
