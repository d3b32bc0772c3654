import EventLog
import Events

/// A sweep that removes stored photos that no profile and no workout names.
///
/// Such photos were replaced, taken down, deleted with an account or a workout, or never named.
///
/// ```swift
/// var sweep = PhotoSweep(core, photos.storage)
/// try await sweep.run()  // again every ten seconds or so
/// ```
/// The first run reads the log's last hour and checks the whole storage. A later run checks the
/// folders of new events, and once an hour the whole storage again. A photo that was never named is
/// kept for an hour, so that its owner can name it.
///
/// On a clone it first fetches the events that others appended, because clones of a shared log may
/// share their photos. If it cannot fetch them, it removes nothing. It removes nothing from storage
/// that cannot list its files (`PhotoStorage.list`).
/// - Complexity: O(new events, and files in their folders).
public struct PhotoSweep: Sendable {
  /// The time that an unnamed photo is kept, in milliseconds: one hour.
  public static let grace: Int64 = 3_600_000

  private let core: Core
  private let storage: any PhotoStorage
  /// The last event that was read; nil before the first run.
  private var position: UInt64?
  private var lastFullRun: Timestamp?
  /// The times when photos were named within the last hour, by path.
  private var named: [String: Timestamp] = [:]
  /// The folders to check, each with the time of the last event about it.
  private var waiting: [String: Timestamp] = [:]
  private var hasDeletedAccount = false

  /// Creates a sweep of the photos that a core's log may name.
  public init(_ core: Core, _ storage: any PhotoStorage) {
    (self.core, self.storage) = (core, storage)
  }

  /// Removes the photos that no profile and no workout names.
  /// - Returns: the number of photos removed.
  /// - Throws: the first failure, after trying the rest; the next run tries again.
  @discardableResult
  public mutating func run() async throws(SubscriptionError) -> Int {
    let now = core.environment.now()
    // On a clone, a photo that others have named must not look unnamed.
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
    var failure: SubscriptionError?
    for folder in folders {
      do {
        removed += try await sweep(folder, now)
        waiting[folder] = nil
      } catch {
        failure = failure ?? .failed(seq: known, reason: "\(error)")
      }
    }
    if let failure { throw failure }
    if isDue { lastFullRun = now }
    (waiting, hasDeletedAccount) = ([:], false)
    return removed
  }

  /// Deletes the photos in a folder that no profile or workout refers to.
  /// - Throws: errors of the storage, of the log, or of the core.
  private func sweep(_ folder: String, _ now: Timestamp) async throws -> Int {
    let listed = try await storage.list(folder) ?? []
    // Events are read after the listing, because a photo is stored before an event names it.
    _ = try await core.store.latest()
    try await core.catchUp()
    var removed = 0
    for file in listed where isToGo(file, now) {
      // It may have been replaced since it was listed.
      guard try await storage.list(parentDirectory(file.path))?.contains(file) == true else {
        continue
      }
      try await storage.delete(file.path)
      removed += 1
    }
    return removed
  }

  /// Runs every ten seconds until the task is cancelled.
  /// - Parameter report: called with the first of several failures in a row.
  package mutating func keepRunning(_ report: @Sendable (SubscriptionError) -> Void) async {
    var isFailing = false
    while !Task.isCancelled {
      do throws(SubscriptionError) {
        try await run()
        isFailing = false
      } catch {
        // The next run retries. The server opens a rewritten log again.
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

  /// Returns whether to remove a file: nothing names it, and its owner is not about to name it.
  private func isToGo(_ file: StoredFile, _ now: Timestamp) -> Bool {
    guard let photo = StoredPath(file.path) else {
      // A temporary file of a process that was killed.
      return file.path.hasSuffix(".tmp") && isOld(file, now)
    }
    if core.names(photo) { return false }
    if isOld(file, now) || !core.hasOwner(photo) && isOwnerGone(photo) { return true }
    guard let time = named[photo.text] else { return false }
    // A photo that was stored again since then is a new photo.
    let last = waiting["\(photo.folder)/\(photo.owner)"] ?? time
    return file.changed.milliseconds <= max(last, time).milliseconds
  }

  /// Returns whether a photo's missing owner is gone for good: a workout exists before its photo,
  /// and a deleted account does not come back.
  private func isOwnerGone(_ photo: StoredPath) -> Bool {
    photo.folder == .workouts || waiting["avatars/\(photo.owner)"] != nil || hasDeletedAccount
  }

  private func isOld(_ file: StoredFile, _ now: Timestamp) -> Bool {
    file.changed.milliseconds < now.milliseconds - Self.grace
  }
}
