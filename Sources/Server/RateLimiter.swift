import Events
import Synchronization

/// A rate limiter with one token bucket per caller. A caller may send `perSecond` requests per
/// second, and up to twice as many at once.
final class RateLimiter: Sendable {
  private struct Bucket {
    var left: Double
    var time: Timestamp
  }

  /// The most buckets that are kept. At this number, the limiter deletes all full buckets. If none
  /// is full, it deletes all buckets.
  private static let most = 100_000
  private let perSecond: Double
  private let buckets = Mutex<[String: Bucket]>([:])

  init(perSecond: Int) { self.perSecond = Double(perSecond) }

  func allows(_ caller: String, now: Timestamp) -> Bool {
    if perSecond == 0 { return true }
    return buckets.withLock { buckets in
      if buckets.count >= Self.most {
        buckets = buckets.filter { filled($0.value, now) < 2 * perSecond }
        if buckets.count >= Self.most { buckets = [:] }
      }
      var bucket = buckets[caller] ?? Bucket(left: 2 * perSecond, time: now)
      bucket = Bucket(left: filled(bucket, now), time: now)
      let allows = bucket.left >= 1
      if allows { bucket.left -= 1 }
      buckets[caller] = bucket
      return allows
    }
  }

  private func filled(_ bucket: Bucket, _ now: Timestamp) -> Double {
    let passed = Double(max(0, now.milliseconds - bucket.time.milliseconds)) / 1_000
    return min(2 * perSecond, bucket.left + passed * perSecond)
  }
}
