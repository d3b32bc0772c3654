import Events
import Projections

/// Where a replay starts.
enum ReplayStart {
  case nothing, checkpoint
  /// From a checkpoint whose tables are read as far as they are looked at; whoever asks has to see
  /// afterwards whether the replay `isDamaged`, and if it is, ask again from nothing.
  case lazyCheckpoint
}

/// A replay that takes longer than this leaves a checkpoint behind, in seconds.
let longReplay = 2.0

/// Replays a log into a projection, with a progress bar on a terminal.
func replayed<P: Projection>(
  _ projection: P, _ view: LogView, until: UInt64, _ invocation: Invocation, label: String,
  from start: ReplayStart, leavesCheckpoint: Bool = true, isQuiet: Bool = false
) async throws -> Replay<P> {
  var replay = Replay(projection)
  var options = Replay<P>.Options()
  options.jobs = try invocation.int("--jobs", default: coreCount(), in: 1...64)
  options.unknown = try invocation.unknownPolicy()
  let isCold = start == .nothing || invocation.flag("--cold")
  if !isCold {
    note(
      replay.restore(
        view, until: until, lazily: start == .lazyCheckpoint, unknown: options.unknown),
      of: view)
  }
  let bar = isQuiet ? nil : Progress(label: label, total: view.size, unit: "bytes")
  options.progress = { done, total in bar?.update(done, of: total) }
  let began = monotonicSeconds()
  do throws(LogError) {
    try await replay.run(view, until: until, options: options)
  } catch {
    throw Failure(error)
  }
  bar?.finish()
  if leavesCheckpoint, !isCold, monotonicSeconds() - began > longReplay {
    // Nobody asked for it: a folder that cannot be written to is as good.
    _ = try? replay.save(view)
  }
  return replay
}

/// About how many bytes of a log are there up to a revision.
func size(of view: LogView, until revision: UInt64) throws(Failure) -> Int {
  let head = try failing { () throws(LogError) in try view.head().seq }
  guard revision < head else { return view.size }
  return Int(Double(view.size) * (Double(revision) / Double(head)))
}
