import Events

/// A call of a use case: the checked input, the caller and, to recognize a retry, a key.
///
/// ```swift
/// let entry = Registry.find("GetFollowCounts")!
/// let call = try Call(entry, .object([.init("user", .string("bob"))]), as: "alice")
/// let (reply, position) = core.answer(call)!
/// ```
/// `execute`, `Core.perform`, servers and retries all pass a `Call` to a core.
public struct Call: Sendable {
  /// The use case's name; empty for a call of `Core.commit`.
  public let name: String
  /// The user or service that calls, and the time to record in events.
  public var caller: Caller
  /// The key by which the core recognizes a retry of this command; see `Core.firstTry`.
  public var key: IdempotencyKey?
  package let work: Work
  /// Whether the log records the use of the key even if the command appends no events.
  var notesUse = true
  /// Whether to decide as if events of earlier commands were not yet in the projections.
  var isAhead = false

  package enum Work: Sendable {
    /// A command, which the core decides without waiting, on the state after the previous commands.
    case command(Decide)
    /// A query, answered from durable events. If `refreshes`, the core first reads the events that
    /// other writers appended.
    case query(refreshes: Bool, Ask)
    /// A use case that stores or deletes a photo, then performs a command.
    case photo(Perform)
  }

  package typealias Decide = @Sendable (Core, inout Model) throws(UseCaseError) -> Answering
  /// The answer of a decided command.
  package enum Answering: Sendable {
    /// The answer is known before the command's events are in the model.
    case known(any FieldValue)
    /// A function that returns the answer. The core calls it when the command's events are durable
    /// and in the model.
    case reading(@Sendable (Model) -> any FieldValue)

    package func callAsFunction(_ model: Model) -> any FieldValue {
      switch self {
      case .known(let answer): answer
      case .reading(let answer): answer(model)
      }
    }
  }
  /// A function that answers a query.
  package typealias Ask = @Sendable (Model, Caller) throws(UseCaseError) -> any FieldValue
  package typealias Perform =
    @Sendable (Core, Call, PhotoPorts?) async throws(UseCaseError) -> (
      output: any FieldValue, seqs: Range<UInt64>
    )

  package init(_ name: String, _ work: Work, as caller: Caller, key: IdempotencyKey? = nil) {
    (self.name, self.work, self.caller, self.key) = (name, work, caller, key)
  }

  /// Creates a call by reading the use case's input from a JSON object.
  ///
  /// `image` loads the image that a field refers to; by default it decodes `data:` URIs.
  /// - Throws: `InputError` with the name of the invalid field.
  public init(
    _ entry: Registry.Entry, _ input: JSONValue, as caller: Caller,
    image: @escaping Fields.ImageLoader = Fields.dataURI
  ) throws(InputError) {
    self.init(entry.about.name, try entry.work(input, image), as: caller)
  }

  /// - Throws: `InputError` for an unknown use case or an invalid field.
  package init(
    _ request: Request, of useCases: UseCaseList, image: @escaping Fields.ImageLoader
  ) throws(InputError) {
    guard let entry = useCases.find(request.name) else {
      throw InputError("do", "there is no use case \(printable(request.name))")
    }
    try self.init(entry, request.input, as: request.caller, image: image)
  }

  /// Whether the call is a command, which the core decides in one step and can decide again.
  public var isCommand: Bool {
    if case .command = work { true } else { false }
  }

  /// Whether the call may append events.
  public var writes: Bool {
    if case .query = work { false } else { true }
  }
}

extension Call {
  package init<C: Command>(
    _ command: C, _ input: C.Input, as caller: Caller, key: IdempotencyKey? = nil
  ) {
    self.init(C.about.name, .command(input) { _ in command }, as: caller, key: key)
  }

  init<Q: Query>(_: Q.Type, _ input: Q.Input, as caller: Caller, refreshes: Bool = false) {
    self.init(Q.about.name, .query(Q.self, input, refreshes: refreshes), as: caller)
  }

  init<P: PhotoUseCase>(_ useCase: P, _ input: P.Input, as caller: Caller) {
    self.init(
      P.about.name,
      .photo { (_, call, _) async throws(UseCaseError) in
        try await useCase.perform(input, call.caller, call.key)
      }, as: caller)
  }
}

extension Call.Work {
  static func command<C: Command>(
    _ input: C.Input, _ command: @escaping @Sendable (Core) -> C
  ) -> Self {
    .command { (core, model) throws(UseCaseError) in
      let command = command(core)
      do throws(UseCaseError) {
        let decided = try command.decide(input, in: &model)
        if let answer = command.knownAnswer(decided, in: &model) { return .known(answer) }
        return .reading { command.answer(decided, in: $0) }
      } catch {
        if core.tracing.refusals != nil, case .refused = error {
          model.refusedInput = RefusedCommand.kept(input)
        }
        throw error
      }
    }
  }

  static func query<Q: Query>(_: Q.Type, _ input: Q.Input, refreshes: Bool = false) -> Self {
    .query(refreshes: refreshes) { (model, caller) throws(UseCaseError) in
      try Q.answer(input, to: caller, in: model)
    }
  }
}

/// The answer of a call that is no use case, as JSON that only the caller's module reads.
package struct CallAnswer: FieldValue {
  package static var kind: Field.Kind { .nothing }
  package static var placeholder: CallAnswer { CallAnswer(.null) }
  package let json: JSONValue
  package init(_ json: JSONValue) { self.json = json }
  package init(_ json: JSONValue, _: FieldPlace) { self.json = json }
}

/// The result of a call.
package struct Outcome: Sendable {
  package var result: Result<any FieldValue, UseCaseError>
  package var seqs: Range<UInt64> = 0..<0
  /// The position of the last event that the answer reflects.
  package var position: UInt64

  package var reply: Reply { Reply(result.map { $0.json }, seqs: seqs) }
}

extension Core {
  /// Answers a query on the calling thread, without waiting.
  /// - Returns: the reply and the position of the last event that it reflects. Nil if the call is a
  ///   command or a query that first catches up, or if the core must rebuild its state. Then use
  ///   `perform`.
  public func answer(_ call: Call) -> (reply: Reply, position: UInt64)? {
    guard case .query(refreshes: false, let ask) = call.work,
      let (result, position) = answered(call.caller, ask)
    else { return nil }
    let outcome = Outcome(result: result, position: position)
    return (outcome.reply, position)
  }

  /// Performs a call, then calls `reply` once, with the position of the last event that the reply
  /// reflects.
  ///
  /// If the call appends events, the core calls `reply` after they are durable. Use cases that
  /// store or delete a photo use the storage and the encoder in `photos`.
  public func perform(
    _ call: Call, photos: PhotoPorts? = nil,
    _ reply: @escaping @Sendable (Reply, _ position: UInt64) -> Void
  ) {
    if case .command(let decide) = call.work {
      let command = QueuedCommand(call: call, decide: decide) { reply($0.reply, $0.position) }
      return submit([.command(command)])
    }
    environment.start {
      let outcome = await self.outcome(of: call, photos)
      reply(outcome.reply, outcome.position)
    }
  }

  /// Performs a request, and waits for the answer and until the appended events are durable.
  ///
  /// Use cases that store or delete a photo use the storage and the encoder in `photos`. `image`
  /// loads the image that a field refers to; by default it decodes `data:` URIs.
  public func perform(
    _ request: Request, photos: PhotoPorts, image: @escaping Fields.ImageLoader = Fields.dataURI
  ) async -> Reply {
    do throws(InputError) {
      return await outcome(of: try Call(request, of: useCases, image: image), photos).reply
    } catch {
      return Reply(.failure(.invalidInput(error)))
    }
  }

  /// Performs a call, and waits for the answer and until the appended events are durable.
  package func outcome(of call: Call, _ photos: PhotoPorts?) async -> Outcome {
    do throws(UseCaseError) {
      switch call.work {
      case .command(let decide):
        return await withCheckedContinuation { continuation in
          let command = QueuedCommand(call: call, decide: decide) {
            continuation.resume(returning: $0)
          }
          submit([.command(command)])
        }
      case .query(let refreshes, let ask):
        if refreshes { try await catchUp() }
        let (result, position) = try await answer(to: call.caller, ask)
        return Outcome(result: result, position: position)
      case .photo(let perform):
        let done = try await perform(self, call, photos)
        return Outcome(
          result: .success(done.output), seqs: done.seqs, position: done.seqs.last ?? position)
      }
    } catch {
      return Outcome(result: .failure(error), position: position)
    }
  }

  /// Performs a call of a use case whose answer has the type `Output`, and waits for the answer.
  /// - Returns: the answer, and the positions of the events appended.
  func performed<Output: FieldValue>(
    _ call: Call, _: Output.Type = Output.self
  ) async throws(UseCaseError) -> (output: Output, seqs: Range<UInt64>) {
    let outcome = await outcome(of: call, nil)
    guard let output = try outcome.result.get() as? Output else {
      preconditionFailure("\(call.name) has an answer of another type")
    }
    return (output, outcome.seqs)
  }
}
