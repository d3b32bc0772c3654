import EventLog
import Events
import Projections
import Replaying
import Synchronization

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
/// - Parameter restored: told of the checkpoint that the replay starts from, if it is to be read
///   page by page: its damage may show later.
func replayed<P: Projection>(
  _ projection: P, _ view: LogView, until: UInt64, _ invocation: Invocation, label: String,
  from start: ReplayStart, leavesCheckpoint: Bool = true,
  restored: RestoredStates? = nil
) async throws -> Replay<P> {
  var replay = Replay(projection)
  let bar = Progress(label: label, total: view.size, unit: "bytes")
  let options = try replayOptions(invocation, bar)
  let isCold = start == .nothing || invocation.flag("--cold")
  if !isCold {
    note(
      replay.restore(
        view, until: until, lazily: restored != nil, beforeRun: true, unknown: options.unknown))
    restored?.add(replay.restored)
  }
  do throws(LogError) {
    try await replay.run(view, until: until, options: options)
  } catch {
    throw Failure(error)
  }
  bar.finish()
  if leavesCheckpoint, !isCold { replay.saveIfDue(view, ofPast: true) }
  return replay
}

func replayOptions(
  _ invocation: Invocation, _ bar: Progress?
) throws(Failure) -> ReplayOptions {
  var options = ReplayOptions()
  options.jobs = try invocation.int("--jobs", default: coreCount(), in: 1...64)
  options.unknown = try invocation.unknownPolicy()
  options.progress = { done, total in bar?.update(done, of: total) }
  return options
}

/// About how many bytes the log has up to a revision.
func size(of view: LogView, until revision: UInt64) throws(Failure) -> Int {
  let head = try failing { () throws(LogError) in try view.head().seq }
  guard revision < head else { return view.size }
  return Int(Double(view.size) * (Double(revision) / Double(head)))
}
