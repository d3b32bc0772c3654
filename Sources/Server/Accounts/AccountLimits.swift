import Events
import Synchronization

/// Limits on how often clients may try: for each client address, and for each account.
///
/// Attempts for unknown accounts count like attempts for known ones, so that a refusal reveals
/// nothing. The limits are in memory; after a restart, all counts begin again.
final class AccountLimits: Sendable {
  /// A kind of attempt.
  enum Kind: Int, CaseIterable, Sendable {
    /// A password, or a provider's token. For an account, only failures count.
    case signIn
    case signUp
    /// A request for a message with a code.
    case message
    /// A code.
    case verify
    case refresh
    /// A call by a signed-in person; for an account, only changes count.
    case user

    /// The attempts that may come at once, and the seconds until one more is allowed: for a client
    /// address, and for an account.
    fileprivate var bounds: (address: (Double, Double), account: (Double, Double)) {
      switch self {
      case .signIn: ((60, 5), (10, 90))
      case .signUp: ((30, 10), (5, 300))
      case .message: ((30, 10), (3, 120))
      case .verify: ((30, 10), (10, 90))
      case .refresh: ((150, 2), (30, 10))
      case .user: ((300, 0.1), (10, 90))
      }
    }
  }

  private struct Bucket {
    var left: Double
    var time: Timestamp
  }

  /// The most names that are counted for a kind. At this number, the limiter forgets the half that
  /// has tried least.
  private static let most = 50_000
  private let factor: Double
  /// For each kind, the counts of addresses and those of accounts.
  private let buckets = Mutex(
    Array(repeating: [String: Bucket](), count: 2 * Kind.allCases.count))

  /// - Parameter factor: multiplies all limits; 0 switches them off.
  init(factor: Int) { self.factor = Double(factor) }

  /// Counts an attempt from an address.
  /// - Throws: a refusal with the status 429 if there were too many.
  func count(_ kind: Kind, from address: String, now: Timestamp) throws(AccountFault) {
    try count(kind, 2 * kind.rawValue, kind.bounds.address, address, now)
  }

  /// Counts an attempt for an account.
  /// - Throws: a refusal with the status 429 if there were too many.
  func count(_ kind: Kind, for account: String, now: Timestamp) throws(AccountFault) {
    try count(kind, 2 * kind.rawValue + 1, kind.bounds.account, account, now)
  }

  /// Takes back the last attempt for an account, because it succeeded.
  func forgive(_ kind: Kind, for account: String) {
    buckets.withLock { $0[2 * kind.rawValue + 1][account]?.left += 1 }
  }

  private func count(
    _ kind: Kind, _ index: Int, _ bound: (most: Double, seconds: Double), _ name: String,
    _ now: Timestamp
  ) throws(AccountFault) {
    if factor == 0 { return }
    let most = bound.most * factor
    let isAllowed = buckets.withLock { buckets in
      if buckets[index].count >= Self.most, buckets[index][name] == nil {
        Self.shrink(&buckets[index])
      }
      var bucket = buckets[index][name] ?? Bucket(left: most, time: now)
      let passed = Double(max(0, now.milliseconds - bucket.time.milliseconds)) / 1_000
      bucket = Bucket(left: min(most, bucket.left + passed * factor / bound.seconds), time: now)
      let isAllowed = bucket.left >= 1
      if isAllowed { bucket.left -= 1 }
      buckets[index][name] = bucket
      return isAllowed
    }
    if isAllowed { return }
    throw kind == .message
      ? .refused(429, "over_email_send_rate_limit", "email rate limit exceeded; try again later")
      : .refused(429, "over_request_rate_limit", "Request rate limit reached; try again later")
  }

  private static func shrink(_ buckets: inout [String: Bucket]) {
    let sorted = buckets.sorted { $0.value.left < $1.value.left }
    buckets = Dictionary(uniqueKeysWithValues: sorted.prefix(most / 2).map { ($0.key, $0.value) })
  }
}
