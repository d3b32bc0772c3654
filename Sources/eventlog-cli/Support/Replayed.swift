/// Where a replay starts.
enum ReplayStart { case nothing, checkpoint }

/// The checkpoints that replays have started from.
final class RestoredStates: Sendable {
  private let states = Mutex<[any SavedState]>([])

  func add(_ state: (any SavedState)?) { states.withLock { $0 += [state].compactMap { $0 } } }

  /// The name of one that has turned out to be damaged.
  var damaged: String? { states.withLock { states in states.first { $0.isDamaged }?.name } }
}

/// Replays a log into a projection, with a progress bar on a terminal.
/// - Parameter restored: receives the checkpoint that the replay starts from, if it is to be read
///   page by page: its damage may show later.
func replayed<P: Projection>(
  _ projection: P, _ view: LogView, until: UInt64, _ invocation: Invocation, label: String,
  from start: ReplayStart, leavesCheckpoint: Bool = true, restored: RestoredStates? = nil
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
  if leavesCheckpoint, !isCold { replay.saveIfDue(view, ofPast: true) }
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
