import EventLog
import Events

/// Removes stored photos that no profile and no workout names: those that were replaced, taken down
/// or deleted with an account or a workout, and those that were stored and never named.
///
/// ```swift
/// var sweep = PhotoSweep(core, photos.storage)
/// try await sweep.run()  // again every ten seconds or so
/// ```
/// The first run goes through all of the storage and the log's last hour. A later run goes through
/// the folders that new events are about, and each hour through all of the storage again. A photo
/// that was never named is kept for an hour, in which its owner may name it.
///
/// On a clone it first fetches what others appended, and removes nothing if it cannot: clones of a
/// shared log may share their photos.
///
/// It needs storage that lists its files (`PhotoStorage.list`); for other storage it does nothing.
/// - Complexity: O(new events) and the files of the folders that they are about.
public struct PhotoSweep: Sendable {
  /// How long a photo stays that nothing names, in milliseconds: an hour.
  public static let grace: Int64 = 3_600_000

  private let core: Core
  private let storage: any PhotoStorage
  /// The last event that was read; nil before the first run.
  private var position: UInt64?
  private var lastFullRun: Timestamp?
  /// When a photo that was named within the last hour was named, by its path.
  private var named: [String: Timestamp] = [:]
  /// Folders to look through, each with the time of the last event about it.
  private var waiting: [String: Timestamp] = [:]
  private var hasDeletedAccount = false

  public init(_ core: Core, _ storage: any PhotoStorage) {
    (self.core, self.storage) = (core, storage)
  }

  /// Removes what nothing names any more.
  /// - Returns: how many photos were removed.
  /// - Throws: the first failure, after trying the rest; the next run tries again.
  @discardableResult
  public mutating func run() async throws(SubscriptionError) -> Int {
    let now = core.environment.now()
    do throws(LogError) {
      // Of a clone: a photo that others have named must not look unnamed here.
      _ = try await core.store.latest()
    } catch {
      throw .log(error)
    }
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
    var failure: String?
    for folder in folders {
      do throws(Failure) {
        removed += try await sweep(folder, now)
        waiting[folder] = nil
      } catch {
        failure = failure ?? error.reason
      }
    }
    if let failure { throw .failed(seq: known, reason: failure) }
    if isDue { lastFullRun = now }
    (waiting, hasDeletedAccount) = ([:], false)
    return removed
  }

  private struct Failure: Error {
    var reason: String
  }

  /// Removes what nothing names from a folder.
  private func sweep(_ folder: String, _ now: Timestamp) async throws(Failure) -> Int {
    let listed = try await list(folder)
    // A photo is stored before an event names it: so the events are read after the listing.
    do throws(LogError) {
      _ = try await core.store.latest()
    } catch {
      throw Failure(reason: "\(error)")
    }
    do throws(UseCaseError) {
      try await core.catchUp()
    } catch {
      throw Failure(reason: "\(error)")
    }
    var removed = 0
    for file in listed where isToGo(file, now) {
      // It may have been replaced since it was listed.
      let present = try await list(parentDirectory(file.path))
      let isSame = present.contains { $0.path == file.path && $0.changed == file.changed }
      if !isSame { continue }
      do throws(PhotoStorageError) {
        try await storage.delete(file.path)
      } catch {
        throw Failure(reason: "\(error)")
      }
      removed += 1
    }
    return removed
  }

  private func list(_ folder: String) async throws(Failure) -> [StoredFile] {
    do throws(PhotoStorageError) {
      return try await storage.list(folder) ?? []
    } catch {
      throw Failure(reason: "\(error)")
    }
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
        // The next run tries again. A log that was rewritten is opened again by the server.
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
    var found: [(path: String?, folder: String, time: Timestamp)] = []
    var hasDeletedAccount = false
    try view.forEachPhotoEvent(after: start, until: end, &names) { event, moment, names in
      guard let (subject, path) = event.namedPhoto else { return }
      switch subject {
      case .user(let user): found.append((path, "avatars/\(names[user])", moment.time))
      case .workout(let workout): found.append((path, "workouts/\(names[workout])", moment.time))
      }
      if case .accountDeleted = event { hasDeletedAccount = true }
    }
    for (path, folder, time) in found {
      waiting[folder] = time
      if let path { named[path] = time }
    }
    if hasDeletedAccount { self.hasDeletedAccount = true }
  }

  /// Whether nothing names a file, and it is not one that its owner is about to name.
  private func isToGo(_ file: StoredFile, _ now: Timestamp) -> Bool {
    guard let photo = StoredPath(file.path) else {
      // A temporary file of a process that was killed.
      return file.path.hasSuffix(".tmp") && isOld(file, now)
    }
    if core.names(photo) { return false }
    if isOld(file, now) || !core.hasOwner(photo) && isOwnerGone(photo) { return true }
    guard let time = named[photo.text] else { return false }
    // One that was stored again since is a new photo.
    let last = waiting["\(photo.folder)/\(photo.owner)"] ?? time
    return file.changed.milliseconds <= max(last, time).milliseconds
  }

  /// Whether photos may be without an owner: a workout is there before its photo, and an account
  /// that is gone does not come back.
  private func isOwnerGone(_ photo: StoredPath) -> Bool {
    photo.folder == .workouts || waiting["avatars/\(photo.owner)"] != nil || hasDeletedAccount
  }

  private func isOld(_ file: StoredFile, _ now: Timestamp) -> Bool {
    file.changed.milliseconds < now.milliseconds - Self.grace
  }
}
