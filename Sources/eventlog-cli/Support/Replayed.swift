/// Where a replay starts.
enum ReplayStart { case nothing, checkpoint }

/// The checkpoints that replays have started from.
final class RestoredStates: Sendable {
  private let states = Mutex<[any SavedState]>([])

  func add(_ state: (any SavedState)?) { states.withLock { $0 += [state].compactMap { $0 } } }

  /// Returns the answer; nil, after a note, if a checkpoint that it comes from proved damaged.
  func checked<Answer>(_ answer: Answer) -> Answer? {
    for state in states.withLock({ $0 }) where Optional(state).checked(true) == nil {
      noteIgnored(state.name, .damaged)
      return nil
    }
    return answer
  }
}

/// Replays a log into a projection, with a progress bar on a terminal.
/// - Parameter restored: receives the checkpoint that the replay starts from. The replay then
///   reads it page by page, and answers must be `checked`.
func replayed<P: Projection>(
  _ projection: P, _ view: LogView, until: UInt64, _ invocation: Invocation, label: String,
  from start: ReplayStart, restored: RestoredStates? = nil
) async throws -> Replay<P> {
  var replay = Replay(projection)
  let bar = Progress(label: label, total: view.size, unit: "bytes")
  let options = try invocation.replayOptions(bar)
  let isCold = start == .nothing || invocation.flag("--cold")
  if !isCold {
    let ignored = replay.restore(
      view, until: until, lazily: restored != nil, beforeRun: true, unknown: options.unknown)
    for checkpoint in ignored { noteIgnored(checkpoint.path, checkpoint.fault) }
    restored?.add(replay.restored)
  }
  try await replay.run(view, until: until, options: options)
  bar.finish()
  if !isCold { replay.saveIfDue(view, ofPast: true) }
  return replay
}

extension Invocation {
  func replayOptions(_ bar: Progress?) throws(Failure) -> ReplayOptions {
    var options = ReplayOptions()
    options.jobs = try jobs()
    options.unknown = try unknownPolicy()
    options.progress = { done, total in bar?.update(done, of: total) }
    return options
  }
}
