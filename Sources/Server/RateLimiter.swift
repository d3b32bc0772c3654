import Events
import Synchronization

/// A rate limiter with one token bucket per caller: for requests, and for photos.
final class RateLimiter: Sendable {
  private struct Bucket {
    var left: Double
    var time: Timestamp
  }

  /// The most buckets that are kept. At this number, the limiter deletes all full buckets. If none
  /// is full, it deletes all buckets.
  private static let most = 100_000
  private let perSecond: Double
  private let atOnce: Double
  private let buckets = Mutex<[String: Bucket]>([:])

  /// Creates a limiter. A caller may send `count` in a period of so many seconds, and `atOnce` at
  /// once; a count of 0 means no limit.
  init(_ count: Int, inSeconds seconds: Double = 1, atOnce: Int) {
    (perSecond, self.atOnce) = (Double(count) / seconds, Double(atOnce))
  }

  func allows(_ caller: String, now: Timestamp) -> Bool {
    if perSecond == 0 { return true }
    return buckets.withLock { buckets in
      if buckets.count >= Self.most {
        buckets = buckets.filter { filled($0.value, now) < atOnce }
        if buckets.count >= Self.most { buckets = [:] }
      }
      var bucket = buckets[caller] ?? Bucket(left: atOnce, time: now)
      bucket = Bucket(left: filled(bucket, now), time: now)
      let allows = bucket.left >= 1
      if allows { bucket.left -= 1 }
      buckets[caller] = bucket
      return allows
    }
  }

  private func filled(_ bucket: Bucket, _ now: Timestamp) -> Double {
    let passed = Double(max(0, now.milliseconds - bucket.time.milliseconds)) / 1_000
    return min(atOnce, bucket.left + passed * perSecond)
  }
}
