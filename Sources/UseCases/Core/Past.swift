import Aggregates
import EventLog
import Events
import Projections
import Replaying

/// The past of a log: it answers queries as of one position.
///
/// ```swift
/// let past = try await Past(of: LogView(path: "eventlogs/demo"), until: 130)
/// try await past.answer(GetProfile.self, .init(user: "lena"), as: nil)
/// ```
/// It answers a query about some users from the events about these users. A query about all users,
/// such as a search, needs the whole state, which is built from a checkpoint.
/// - Complexity: that of `RelevantPast`. The first query about all users costs as much as
///   `Core.open`.
public actor Past {
  private let view: LogView
  private let until: UInt64
  private let rules: Rules
  private let useCases: UseCaseList
  private let catalogue: Catalogue
  private let usesCheckpoints: Bool
  private let unknown: ChunkConsumer.UnknownPolicy
  private let relevant: RelevantPast<LogView>?
  private let now: Timestamp
  /// The core with the state of all users at the position; nil until a query needs it.
  private var whole: Core?
  private var ignored: [IgnoredState] = []

  /// Opens the past of a log, up to and including the event at position `until`.
  ///
  /// `catalogue` includes the app's own projections for `ask`. If `usesCheckpoints` is false, the
  /// past reads the log's whole text up to the position.
  /// - Throws: the errors of `Core.open`. Damage in lines that no query reads stays unnoticed.
  public init(
    of view: LogView, until: UInt64, rules: Rules? = nil, catalogue: Catalogue = .standard,
    useCases: UseCaseList = .standard, usesCheckpoints: Bool = true,
    unknown: ChunkConsumer.UnknownPolicy = .stop
  ) async throws(LogError) {
    try await self.init(
      of: view, until: until, rules: rules, catalogue: catalogue, useCases: useCases,
      usesCheckpoints: usesCheckpoints, unknown: unknown, worth: RelevanceWorth())
  }

  package init(
    of view: LogView, until: UInt64, rules: Rules? = nil, catalogue: Catalogue = .standard,
    useCases: UseCaseList = .standard, usesCheckpoints: Bool = true,
    unknown: ChunkConsumer.UnknownPolicy = .stop, worth: RelevanceWorth
  ) async throws(LogError) {
    (self.view, self.until, self.catalogue) = (view, until, catalogue)
    self.useCases = useCases
    self.rules = try view.recordedRules().current(rules) ?? .climb
    (self.usesCheckpoints, self.unknown) = (usesCheckpoints, unknown)
    now = try view.time(of: until)
    var relevant: RelevantPast<LogView>?
    if usesCheckpoints, until >= worth.least {
      var start = Replay(CoreState(catalogue))
      for state in start.restore(view, until: until, lazily: true, unknown: unknown) {
        ignored.append(IgnoredState(path: state.path, .fault(state.fault)))
      }
      var options = ReplayOptions()
      (options.unknown, options.worth) = (unknown, worth)
      relevant = RelevantPast(
        view, until: until, startingAt: start.head.seq, catalogue: catalogue, options: options)
    }
    self.relevant = relevant
    if relevant == nil { whole = try await opened() }
  }

  /// Opens the past of a log with the rules, projections and use cases of a core.
  package init(of view: LogView, until: UInt64, like core: Core) async throws(LogError) {
    try await self.init(
      of: view, until: until, rules: core.rules, catalogue: core.catalogue,
      useCases: core.useCases)
  }

  private func opened() async throws(LogError) -> Core {
    try await .open(
      reading: view, until: until, rules: rules, catalogue: catalogue,
      usesCheckpoints: usesCheckpoints, unknown: unknown)
  }

  /// Whether a query needed the state of all users, so that all events up to the position were
  /// applied.
  package var isWhole: Bool { whole != nil }

  /// The checkpoints that could not be used, with the reasons.
  public var ignoredStates: [IgnoredState] { whole?.ignoredStates ?? ignored }

  /// Returns a query's answer as of this past's position.
  public func answer<Q: Query>(
    _: Q.Type, _ input: Q.Input, as caller: Caller
  ) async throws(UseCaseError) -> Q.Output {
    try await answer(to: caller) { (model, caller) throws(UseCaseError) in
      try Q.answer(input, to: caller, in: model)
    }
  }

  private func answer<Output: Sendable>(
    to caller: Caller,
    _ ask: @escaping @Sendable (Model, Caller) throws(UseCaseError) -> Output
  ) async throws(UseCaseError) -> Output {
    if whole == nil, let relevant {
      let answer = await relevant.ask { [rules, now] reading, names in
        Result { () throws(UseCaseError) in
          try ask(Model(rules: rules, reading, names, now: caller.time ?? now), caller)
        }
      }
      if let answer { return try answer.get() }
    }
    return try await state().answer(to: caller, ask).result.get()
  }

  func state() async throws(UseCaseError) -> Core {
    if let whole { return whole }
    do throws(LogError) {
      let opened = try await opened()
      whole = opened
      return opened
    } catch {
      throw .log(error)
    }
  }

  /// Performs a request for a query. A request for a command or a photo use case fails with
  /// `.closed`.
  public func perform(_ request: Request) async -> Reply {
    do throws(InputError) {
      let call = try Call(request, of: useCases, image: Fields.dataURI)
      guard case .query(_, let ask) = call.work else {
        return Reply(.failure(.log(.closed(reason: "the past is read-only"))))
      }
      do throws(UseCaseError) {
        return Reply(.success(try await answer(to: call.caller, ask).json))
      } catch {
        return Reply(.failure(error))
      }
    } catch {
      return Reply(.failure(.invalidInput(error)))
    }
  }
}
