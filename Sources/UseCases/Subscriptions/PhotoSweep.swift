import EventLog
import Events

/// A cleaner that deletes stored photos that no profile and no workout names.
///
/// Such photos were replaced or removed, belonged to a deleted account or workout, or were never
/// named by an event. A photo that is older than the photo that its profile or workout names now
/// counts as replaced, even if no event has named it.
///
/// ```swift
/// var sweep = PhotoSweep(core, photos.storage)
/// try await sweep.run()  // again every ten seconds or so
/// ```
/// The first run reads the events of the last hour and checks the whole storage. A later run checks
/// only the folders of users and workouts in the last 20 seconds' events about photos. Once an hour
/// a run checks the whole storage again. A photo that no event has named is kept for an hour,
/// because its event may follow, unless it counts as replaced or its account is deleted.
///
/// On a clone each run first fetches the events that other machines appended, because clones of a
/// shared log may share their photos. If a run cannot fetch them, it deletes nothing. It also
/// deletes nothing from a storage that cannot list its files (`PhotoStorage.list`).
/// - Complexity: O(new events, and files in the checked folders).
public struct PhotoSweep: Sendable {
  /// The time for which a photo that no event has named is kept, in milliseconds: one hour.
  public static let grace: Int64 = 3_600_000
  /// The time after an event, or after the named photo was stored, in which runs check a folder
  /// again, in milliseconds: 20 s. Until then a photo that is older than the named one is kept: if
  /// two photos are stored at once, the event of the older one may come last.
  private static let settling: Int64 = 20_000

  private let core: Core
  private let storage: any PhotoStorage
  /// The position of the last event that a run has read; nil before the first run.
  private var position: UInt64?
  private var lastFullRun: Timestamp?
  /// The time of the last event that named a photo, by path; only for the last hour.
  private var named: [String: Timestamp] = [:]
  /// The folders to check, each with the time of the last event about the folder's photos.
  private var waiting: [String: Timestamp] = [:]
  private var hasDeletedAccount = false

  /// Creates a sweep that deletes the photos in `storage` that the core's log does not name.
  public init(_ core: Core, _ storage: any PhotoStorage) {
    (self.core, self.storage) = (core, storage)
  }

  /// Deletes the photos that no profile and no workout names.
  /// - Returns: the number of deleted photos.
  /// - Throws: the first failure, after trying the other folders. The next run retries.
  @discardableResult
  public mutating func run() async throws(SubscriptionError) -> Int {
    let now = core.environment.now()
    // On a clone, fetches the newest events first: one of them may name a photo.
    do throws(LogError) { _ = try await core.store.latest() } catch { throw .log(error) }
    let (view, known) = try await core.snapshot()
    do throws(LogError) {
      let hourAgo = Timestamp(milliseconds: now.milliseconds - Self.grace)
      var start = position ?? 0
      if position == nil { start = min(known, try view.position(at: hourAgo)) }
      try read(view, after: start, until: known)
    } catch {
      throw .log(error)
    }
    position = known
    named = named.filter { $0.value.milliseconds >= now.milliseconds - Self.grace }
    let isDue = lastFullRun.map { now.milliseconds - $0.milliseconds >= Self.grace } ?? true
    var folders = Array(waiting.keys)
    if isDue {
      folders = ["avatars", "workouts"]
    } else if hasDeletedAccount {
      folders.append("workouts")
    }
    var removed = 0
    var unsettled: Set<String> = []
    var failure: SubscriptionError?
    for folder in folders {
      do {
        let result = try await sweep(folder, now)
        removed += result.removed
        unsettled.formUnion(result.unsettled)
      } catch {
        failure = failure ?? .failed(seq: known, reason: "\(error)")
      }
    }
    if let failure { throw failure }
    if isDue { lastFullRun = now }
    hasDeletedAccount = false
    waiting = waiting.filter { folder, time in
      unsettled.contains(folder) || isSettling(time, now)
    }
    for folder in unsettled where waiting[folder] == nil { waiting[folder] = .earliest }
    return removed
  }

  /// Deletes those photos in a folder that no profile and no workout names.
  /// - Returns: the number of deleted photos, and the folders that the next run must check again.
  /// - Throws: the errors of the storage, of the log, and of the core.
  private func sweep(
    _ folder: String, _ now: Timestamp
  ) async throws -> (removed: Int, unsettled: Set<String>) {
    let listed = try await storage.list(folder) ?? []
    // Reads the newest events after listing the files: a photo is stored before an event names it.
    _ = try await core.store.latest()
    try await core.catchUp()
    var unnamed: [StoredFile] = []
    var current: [String: Timestamp] = [:]
    for file in listed {
      if let photo = StoredPath(file.path), core.names(photo) {
        current[parentDirectory(file.path)] = file.changed
      } else {
        unnamed.append(file)
      }
    }
    var removed = 0
    var unsettled: Set<String> = []
    for file in unnamed {
      let parent = parentDirectory(file.path)
      if !isToGo(file, now) {
        guard let newer = current[parent], file.changed < newer else { continue }
        if isSettling(newer, now) {
          unsettled.insert(parent)
          continue
        }
      }
      // Checks again before deleting, because the file may have been replaced since it was listed.
      guard try await storage.list(parent)?.contains(file) == true else { continue }
      try await storage.delete(file.path)
      removed += 1
    }
    return (removed, unsettled)
  }

  /// Runs every ten seconds until the task is cancelled.
  /// - Parameter report: called with a run's failure, unless the previous run failed too.
  package mutating func keepRunning(_ report: @Sendable (SubscriptionError) -> Void) async {
    var isFailing = false
    while !Task.isCancelled {
      do throws(SubscriptionError) {
        try await run()
        isFailing = false
      } catch {
        // The next run retries. If the log was rewritten, the server opens it again.
        if !isFailing { report(error) }
        isFailing = true
      }
      try? await Task.sleep(for: .seconds(10))
    }
  }

  private mutating func read(
    _ view: some History, after start: UInt64, until end: UInt64
  ) throws(LogError) {
    if start >= end { return }
    var names = Names()
    try view.forEachPhotoEvent(after: start, until: end, &names) { event, moment, names in
      guard let (subject, path) = event.namedPhoto else { return }
      switch subject {
      case .user(let user): waiting["avatars/\(names[user])"] = moment.time
      case .workout(let workout): waiting["workouts/\(names[workout])"] = moment.time
      }
      if let path { named[path] = moment.time }
      if case .accountDeleted = event { hasDeletedAccount = true }
    }
  }

  /// Returns whether to delete a file that no profile or workout names, because no event is likely
  /// to name it soon.
  private func isToGo(_ file: StoredFile, _ now: Timestamp) -> Bool {
    guard let photo = StoredPath(file.path) else {
      // The file may be a temporary file that a killed process left behind.
      return file.path.hasSuffix(".tmp") && isOld(file, now)
    }
    if isOld(file, now) || core.isOwnerGone(photo) { return true }
    guard let time = named[photo.text] else { return false }
    // If the file was stored again after the last event, an event may still name it.
    let last = waiting["\(photo.folder)/\(photo.owner)"] ?? time
    return file.changed.milliseconds <= max(last, time).milliseconds
  }

  private func isSettling(_ time: Timestamp, _ now: Timestamp) -> Bool {
    now.milliseconds - time.milliseconds < Self.settling
  }

  private func isOld(_ file: StoredFile, _ now: Timestamp) -> Bool {
    file.changed.milliseconds < now.milliseconds - Self.grace
  }
}
