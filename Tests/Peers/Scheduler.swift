import Events

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Calls a function of the simulation, which has one thread, from code that may run on any.
nonisolated func onMain<Result: Sendable>(_ body: @MainActor () throws -> Result) rethrows -> Result
{
  try MainActor.assumeIsolated(body)
}

/// Runs all tasks of this process on one thread and in simulated time.
///
/// The Swift runtime passes each job that is ready to `enqueue`. A job belongs to the process for
/// which it was made ready. The jobs of a paused process wait. A seed determines the order of jobs.
@MainActor final class Scheduler {
  static let shared = Scheduler()

  private struct Event {
    var time: Duration
    var number: Int
    var process: SimulatedProcess?
    var body: () -> Void

    static func < (a: Self, b: Self) -> Bool { (a.time, a.number) < (b.time, b.number) }
  }

  private var jobs: [(job: UnownedJob, process: SimulatedProcess?)] = []
  private var events: [Event] = []
  private var count = 0
  private var random = SplitMix64(seed: 0)
  /// The process whose code runs now; nil for code of the simulation.
  private(set) var running: SimulatedProcess?
  /// The number of processes that had jobs left at their end. Their memory is not freed.
  private(set) var dropped = 0
  /// The time since the simulation began.
  private(set) var now = Duration.zero

  /// Starts a new simulation.
  func begin(seed: UInt64) {
    (jobs, events, now) = ([], [], .zero)
    random = SplitMix64(seed: seed)
  }

  /// Calls a function as a process.
  func within<Result>(_ process: SimulatedProcess?, _ body: () -> Result) -> Result {
    let outer = running
    running = process
    defer { running = outer }
    return body()
  }

  /// Calls a function later, as a process unless it has ended by then.
  func after(_ delay: Duration, _ process: SimulatedProcess? = nil, _ body: @escaping () -> Void) {
    count += 1
    let event = Event(time: now + max(delay, .zero), number: count, process: process, body: body)
    events.append(event)
    var child = events.count - 1
    while child > 0, case let parent = (child - 1) / 2, events[child] < events[parent] {
      events.swapAt(child, parent)
      child = parent
    }
  }

  private func popFirst() -> Event {
    events.swapAt(0, events.count - 1)
    let first = events.removeLast()
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < events.count {
        if events[child] < events[least] { least = child }
      }
      if least == parent { return first }
      events.swapAt(parent, least)
      parent = least
    }
  }

  /// Runs everything that happens until a time.
  func run(until end: Duration) {
    while true {
      runJobs()
      guard let next = events.first, next.time <= end else { break }
      let event = popFirst()
      now = event.time
      guard let process = event.process else {
        event.body()
        continue
      }
      process.perform(event.body)
    }
    now = max(now, end)
  }

  /// Runs jobs until none is ready.
  /// - Parameter limit: the most jobs to run.
  func runJobs(limit: Int = .max) {
    var left = limit
    while !jobs.isEmpty, left > 0 {
      left -= 1
      let index = random.next() % 4 == 0 ? Int(random.next() % UInt64(jobs.count)) : 0
      let (job, process) = jobs.remove(at: index)
      if let process, process.isPaused {
        process.jobs.append(job)
      } else {
        within(process) { job.runSynchronously(on: executor.asUnownedTaskExecutor()) }
      }
    }
  }

  /// Drops the jobs of a process that has ended.
  func dropJobs(of process: SimulatedProcess) {
    let all = jobs.count
    jobs.removeAll { $0.process === process }
    if jobs.count < all { dropped += 1 }
  }

  fileprivate func enqueue(_ job: UnownedJob) { jobs.append((job, running)) }

  func enqueue(_ more: [UnownedJob], of process: SimulatedProcess) {
    jobs += more.map { ($0, process) }
  }

  private typealias Enqueue = @convention(thin) (UnownedJob) -> Void
  private typealias Hook = @convention(thin) (UnownedJob, Enqueue) -> Void
  private let executor = MainThread()

  private init() {
    let hook = dlsym(dlopen(nil, RTLD_LAZY), "swift_task_enqueueGlobal_hook")
    hook?.assumingMemoryBound(to: Hook?.self).pointee = { job, _ in
      onMain { Scheduler.shared.enqueue(job) }
    }
  }
}

/// The executor under which jobs run on the main thread.
private final class MainThread: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    onMain { Scheduler.shared.enqueue(job) }
  }
}
