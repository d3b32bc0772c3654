import Events
import Projections

/// Where a replay starts.
enum ReplayStart { case nothing, checkpoint }

/// A replay that takes longer than this, in seconds, saves a checkpoint.
let longReplay = 2.0

/// Replays a log into a projection, with a progress bar on a terminal.
func replayed<P: Projection>(
  _ projection: P, _ view: LogView, until: UInt64, _ invocation: Invocation, label: String,
  from start: ReplayStart, leavesCheckpoint: Bool = true, isQuiet: Bool = false
) async throws -> Replay<P> {
  var replay = Replay(projection)
  let bar = isQuiet ? nil : Progress(label: label, total: view.size, unit: "bytes")
  let options = try replayOptions(invocation, bar)
  let isCold = start == .nothing || invocation.flag("--cold")
  if !isCold { note(replay.restore(view, until: until, unknown: options.unknown)) }
  let began = monotonicSeconds()
  do throws(LogError) {
    try await replay.run(view, until: until, options: options)
  } catch {
    throw Failure(error)
  }
  bar?.finish()
  if leavesCheckpoint, !isCold { leaveCheckpoint(&replay, view, since: began) }
  return replay
}

/// Asks a projection about its state at a revision, with a progress bar on a terminal.
func answered<P: Projection, Answer>(
  _ projection: P, _ view: LogView, until: UInt64, _ invocation: Invocation, label: String,
  _ ask: (Replay<P>) -> Answer
) async throws -> Answer {
  let bar = Progress(label: label, total: view.size, unit: "bytes")
  let options = try replayOptions(invocation, bar)
  let isCold = invocation.flag("--cold")
  let began = monotonicSeconds()
  do throws(LogError) {
    return try await Replay.answer(
      projection, of: view, until: until, options: options, usesCheckpoint: !isCold,
      ignoring: { note([$0]) },
      { replay in
        bar.finish()
        if !isCold { leaveCheckpoint(&replay, view, since: began) }
        return ask(replay)
      })
  } catch {
    throw Failure(error)
  }
}

private func replayOptions(
  _ invocation: Invocation, _ bar: Progress?
) throws(Failure) -> ReplayOptions {
  var options = ReplayOptions()
  options.jobs = try invocation.int("--jobs", default: coreCount(), in: 1...64)
  options.unknown = try invocation.unknownPolicy()
  options.progress = { done, total in bar?.update(done, of: total) }
  return options
}

private func leaveCheckpoint<P>(_ replay: inout Replay<P>, _ view: LogView, since began: Double) {
  guard monotonicSeconds() - began > longReplay else { return }
  // Nobody asked for the checkpoint, so failing to write it does not matter.
  _ = try? replay.save(view)
}

/// About how many bytes the log has up to a revision.
func size(of view: LogView, until revision: UInt64) throws(Failure) -> Int {
  let head = try failing { () throws(LogError) in try view.head().seq }
  guard revision < head else { return view.size }
  return Int(Double(view.size) * (Double(revision) / Double(head)))
}
