import Events
import Projections
import Replaying

/// A subscriber of a log that deletes stored photos that profiles no longer use: photos that were
/// replaced or removed, and photos of deleted accounts.
///
/// ```swift
/// let janitor = PhotoJanitor(core, photos.storage, from: PositionFile("photos.position"))
/// try await janitor.run()  // how many photos it removed
/// ```
/// It also runs a `PhotoSweep`, which deletes unused photos of workouts, and photos that nothing
/// names an hour after they were stored. The next run retries a failed deletion. Without a saved
/// position the janitor starts at the first event.
/// - Complexity: the first run reads all events about profile photos.
public struct PhotoJanitor: Sendable {
  private let core: Core
  private let photos: any PhotoStorage
  private let storage: any PositionStorage
  private let sweeps: Bool

  /// Creates a janitor; `run` or `follow` deletes the photos.
  ///
  /// `storage` keeps the janitor's position in the log; two janitors must not share a storage. If
  /// `sweeps` is true, the janitor also runs a `PhotoSweep`. Pass false on a read-only clone,
  /// because events that the clone has not fetched yet may name the photos.
  public init(
    _ core: Core, _ photos: any PhotoStorage, from storage: any PositionStorage,
    sweeps: Bool = true
  ) {
    (self.core, self.photos, self.storage, self.sweeps) = (core, photos, storage, sweeps)
  }

  /// Deletes the photos that the events up to the end of the log have replaced or removed.
  /// - Returns: the number of deleted photos.
  /// - Throws: the first failure, after trying the other photos. The saved position stays before
  ///   the event of the first failure.
  @discardableResult
  public func run() async throws(SubscriptionError) -> Int {
    var known = Replay<PhotoPaths>()
    var sweep = PhotoSweep(core, photos)
    return try await run(&known, &sweep)
  }

  /// Deletes photos as events replace or remove them, until the task is cancelled.
  /// - Throws: the errors of `run`.
  public func follow() async throws(SubscriptionError) {
    var known = Replay<PhotoPaths>()
    var sweep = PhotoSweep(core, photos)
    for await _ in core.changes() { try await run(&known, &sweep) }
  }

  @discardableResult
  private func run(
    _ known: inout Replay<PhotoPaths>, _ sweep: inout PhotoSweep
  ) async throws(SubscriptionError) -> Int {
    let log = try SubscribedLog(try await core.snapshot().view)
    let saved = try await storage.load() ?? SubscriptionPosition()
    let start = try log.carry(saved)
    var options = ReplayOptions()
    options.unknown = .skip
    do throws(LogError) { try await known.run(log.view, options: options) } catch {
      throw .log(error)
    }
    var removed = 0
    var failure: SubscriptionError?
    for (seq, path) in known.projection.outdated where seq > start.seq {
      do throws(PhotoStorageError) {
        try await photos.delete(path)
        removed += 1
      } catch {
        failure = failure ?? .failed(seq: seq, reason: "\(error)")
      }
      if failure == nil { try await storage.save(try log.position(seq)) }
    }
    if let failure { throw failure }
    let head = log.position(known.head)
    if head.seq > start.seq || start.seq > 0 && start != saved { try await storage.save(head) }
    return sweeps ? removed + (try await sweep.run()) : removed
  }
}

private struct PhotoPaths: Projection {
  static let name = "photo-paths"
  static let version = 1
  static let handles: EventTypes = [.profilePhotoSet, .profilePhotoRemoved, .accountDeleted]

  private var photos: [UserID: ProfilePhotoSet] = [:]
  private var ended: [(seq: UInt64, photo: ProfilePhotoSet)] = []

  init() {}

  mutating func apply(_ event: borrowing Event, at moment: Moment) {
    switch event {
    case .profile(.photoSet(let data)): set(data, data.user, moment)
    case .profile(.photoRemoved(let data)), .accountDeleted(let data): set(nil, data.user, moment)
    default: break
    }
  }

  private mutating func set(_ photo: ProfilePhotoSet?, _ user: UserID, _ moment: Moment) {
    if let old = photos[user] { ended.append((moment.seq, old)) }
    photos[user] = photo
  }

  /// The replaced or removed photos that no profile names now by path or by address. `seq` is the
  /// position of the event that replaced or removed the photo.
  var outdated: [(seq: UInt64, path: String)] {
    let paths = Set(photos.values.compactMap { $0.path })
    let urls = Set(photos.values.map { $0.url })
    return ended.compactMap { seq, photo in
      photo.path.flatMap { paths.contains($0) || urls.contains(photo.url) ? nil : (seq, $0) }
    }
  }
}
