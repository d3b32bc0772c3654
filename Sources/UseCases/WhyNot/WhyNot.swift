import Aggregates
import EventLog
import Events
import Projections
import Replaying

/// Explains why a command would be refused at a position of a history, or what it would append.
///
/// ```swift
/// let whyNot = try await WhyNot(TimeTravel(log.history()))
/// let line = #"{"do":"FollowUser","as":"bob","with":{"followee":"bob"}}"#
/// try await whyNot.explain(Request(line: Array(line.utf8))).code  // "cannotFollowSelf"
/// ```
/// It reads only the events on which the decision may depend, through the index of the history.
/// - Complexity: opening the index, as for `TimeTravel`; then O(n) for the decision and O(n²) for
///   the smallest sets, for n events on which the decision may depend.
public struct WhyNot<H: History>: Sendable {
  /// The work of the search for smallest sets, unless it is exhaustive: the number of events that
  /// it decides again, in which a try counts as 20 more.
  private static var budget: Int { 120_000 }

  /// The most lines that are read for a user's own explanation.
  private static var linesForCaller: Int { 100_000 }

  private let travel: TimeTravel<H>
  private let rules: RuleHistory
  private let commandRules: Rules
  private let useCases: UseCaseList
  private let core: Core
  private let now: @Sendable () -> Timestamp

  /// - Parameters:
  ///   - travel: the history, with its index.
  ///   - past: the rules by which the history's events were decided.
  ///   - rules: the rules for the command; nil means the last of the history's.
  ///   - useCases: the commands that `explain` finds by name.
  ///   - environment: the clock and the source of new ids.
  public init(
    _ travel: TimeTravel<H>, past: RuleHistory = RuleHistory(unrecorded: .climb),
    rules: Rules? = nil,
    useCases: UseCaseList = .standard, environment: RuntimeEnvironment = .system
  ) async throws(LogError) {
    (self.travel, self.useCases, now) = (travel, useCases, environment.now)
    (self.rules, commandRules) = (past, rules ?? past.current)
    core = try await Core(
      InMemoryLog(environment), rules: commandRules, environment: environment)
  }

  /// Explains a request for a command.
  /// - Parameters:
  ///   - request: the use case's name, its input and the caller.
  ///   - position: the position after which the command is decided; nil means after the last event,
  ///     at the present time. For an earlier position, the time is that of its event.
  ///   - isExhaustive: whether to search until no smaller set can exist, however long that takes.
  ///   - isForCaller: whether to leave out what the caller's own queries would not show. Of an
  ///     error such as `profileNotFound`, only the code and the sentence are left, so that the
  ///     caller never learns of another user's block. Facts that the refusal does not rest on and
  ///     other users' events are left out too, and `wouldAppend` is empty.
  ///   - image: loads the image that a field refers to; by default it decodes `data:` URIs.
  /// - Throws: `invalidInput` if there is no such command or the input is not valid; read errors.
  public func explain(
    _ request: Request, at position: UInt64? = nil, exhaustive isExhaustive: Bool = false,
    forCaller isForCaller: Bool = false,
    image: @escaping Fields.ImageLoader = Fields.dataURI
  ) async throws(UseCaseError) -> Explanation {
    let call: Call
    do throws(InputError) {
      call = try Call(request, of: useCases, image: image)
    } catch {
      throw .invalidInput(error)
    }
    return try await explain(call, request.input, at: position, isExhaustive, isForCaller)
  }

  /// Explains a command with an input of its type; see `explain(_:at:exhaustive:image:)`.
  public func explain<C: Command>(
    _ command: C.Type, _ input: C.Input, as caller: Caller, at position: UInt64? = nil,
    exhaustive isExhaustive: Bool = false
  ) async throws(UseCaseError) -> Explanation {
    try await explain(
      Call(C.about.name, .command(input) { C($0) }, as: caller), input.json, at: position,
      isExhaustive, false)
  }

  private func explain(
    _ call: Call, _ input: JSONValue, at position: UInt64?, _ isExhaustive: Bool,
    _ isForCaller: Bool
  ) async throws(UseCaseError) -> Explanation {
    guard case .command(let decide) = call.work else {
      let reason =
        call.writes
        ? "decides after it has stored a photo; only commands can be explained"
        : "only reads; only commands can be explained"
      throw .invalidInput(InputError("do", "\(call.name) \(reason)"))
    }
    let problem: String
    do throws(LogError) {
      let last = try travel.view.head().seq
      let end = try travel.view.head(at: min(position ?? last, last))
      let head = Moment(seq: end.seq, time: end.time)
      let isPresent = position == nil || end.seq == 0
      let time = call.caller.time ?? min(isPresent ? max(now(), head.time) : head.time, .latest)
      let command = WhyNotCommand(
        call: call, decide: decide, rules: commandRules,
        texts: Set(input.texts + [call.caller.user].compactMap { $0 }), time: time)
      let budget = isForCaller ? Self.budget / 4 : isExhaustive ? nil : Self.budget
      switch try await explanation(command, head, budget, isForCaller) {
      case .success(let explanation): return explanation
      case .failure(let limit): problem = "\(call.name) \(limit.rawValue)"
      }
    } catch {
      throw .log(error)
    }
    throw .invalidInput(InputError("do", problem))
  }

  /// Explains a command from the events on which its decision may depend: those that determine what
  /// it reads, what the decisions of these events read, and what all these read without some of the
  /// events. Each round finds the events for what the last one read, until there are no more.
  private func explanation(
    _ command: WhyNotCommand, _ head: Moment, _ budget: Int?, _ isForCaller: Bool
  ) async throws(LogError) -> Result<Explanation, WhyNotLimit> {
    try await travel.searching(until: head.seq, limit: isForCaller ? Self.linesForCaller : .max) {
      [rules, core, catalogue = travel.catalogue] (search) throws(LogError) in
      for text in command.texts {
        search.spell(user: text)
        // Ids in the input have the same numbers in all trials, also in those that read them first.
        for kind in IDKind.allCases where kind != .user {
          _ = try? search.names.intern(text, kind)
        }
      }
      var paths: Set<StatePath> = []
      var left = budget
      while true {
        let counterfactual = Counterfactual(
          search.events, search.names, at: head, command, rules, catalogue, core)
        let looks = ReadSet()
        let trial = counterfactual.trial(looks: looks)
        guard looks.all != nil, trial.model.draft.expecting.isEmpty else { return .failure(.whole) }
        search.names = trial.model.names
        let before = search.events.count
        let new = looks.paths(search.names).subtracting(paths)
        paths.formUnion(new)
        guard try search.add(counterfactual.allReads.all), try search.add(Array(new)) else {
          return .failure(.tooMany)
        }
        if search.events.count > before { continue }
        // Each round searches again, with all events found so far. The rounds share the work.
        left = left.map { max($0, (budget ?? 0) / 4) }
        let explanation = Explanation(counterfactual, trial, &left, forCaller: isForCaller)
        guard try search.add(counterfactual.allReads.all) else { return .failure(.tooMany) }
        if search.events.count == before { return .success(explanation) }
      }
    }
  }
}

/// The reason why a command cannot be explained.
private enum WhyNotLimit: String, Error {
  case whole = "reads the state of all users, or expects revisions; it cannot be explained"
  case tooMany = "depends on too many events; it cannot be explained here"
}

extension JSONValue {
  /// All texts in the value.
  package var texts: [String] {
    switch self {
    case .string(let text): [text]
    case .array(let items): items.flatMap(\.texts)
    case .object(let fields): fields.flatMap(\.value.texts)
    case .null, .bool, .number: []
    }
  }
}

extension Core {
  /// Explains why a command would be refused now, or what it would append.
  ///
  /// Reads the log as it is when the call begins. `WhyNot` explains several commands faster, and
  /// past positions.
  /// - Complexity: opening the log's index, which takes milliseconds from a checkpoint and a replay
  ///   without one; then as `WhyNot`.
  public func explain<C: Command>(
    _ command: C.Type, _ input: C.Input, as caller: Caller
  ) async throws(UseCaseError) -> Explanation {
    try await store.explain(command, input, as: caller, like: self)
  }

  /// Explains a request for a command; see `explain(_:_:as:)`.
  ///
  /// If the request is from a user, leaves out what the user's own queries would not show.
  public func explain(_ request: Request) async throws(UseCaseError) -> Explanation {
    try await store.explain(request, like: self)
  }
}

extension EventStore {
  fileprivate func explain<C: Command>(
    _ command: C.Type, _ input: C.Input, as caller: Caller, like core: Core
  ) async throws(UseCaseError) -> Explanation {
    try await whyNot(like: core).explain(command, input, as: caller)
  }

  fileprivate func explain(
    _ request: Request, like core: Core
  ) async throws(UseCaseError) -> Explanation {
    try await whyNot(like: core).explain(request, forCaller: !request.isService)
  }

  private func whyNot(like core: Core) async throws(UseCaseError) -> WhyNot<Snapshot> {
    do throws(LogError) {
      let view = try await history()
      let travel = TimeTravel(view, catalogue: core.catalogue, unknown: core.unknown)
      var index = try await travel.open()
      index.saveIfDue(view)
      return try await WhyNot(
        travel,
        past: try RuleHistory(try await recordedRules()) ?? RuleHistory(unrecorded: core.rules),
        rules: core.rules, useCases: core.useCases, environment: core.environment)
    } catch {
      throw .log(error)
    }
  }
}
