import Events

/// The clock of a generated history: starts at the beginning of 2024, never goes back, and runs
/// fast at night.
struct HistoryClock {
  private(set) var milliseconds: Int64 = 1_704_067_200_000
  private let meanGap: Int64

  /// The pause between events in each hour of the day (UTC), in sixteenths of the mean.
  private static let pace: [Int64] = [
    36, 44, 48, 44, 34, 24, 16, 13, 12, 14, 15, 15, 13, 14, 15, 14, 12, 10, 9, 9, 10, 14, 20, 28,
  ]

  /// Spreads the events over about two and a half years, at most an hour apart.
  init(events: Int) {
    meanGap = min(max(75_000_000_000 / Int64(max(events, 1)), 1), 3_600_000)
  }

  /// Advances to the next event; one in 32 falls into the same millisecond.
  @inline(__always)
  mutating func tick(_ random: inout Xoshiro256) {
    let bits = random.bits()
    guard bits & 31 != 0 else { return }
    let hour = Int(milliseconds / 3_600_000 % 24)
    let span = UInt64(meanGap * Self.pace[hour] / 8 + 1)
    let gap = Int64(span.multipliedFullWidth(by: bits).high)
    milliseconds = min(milliseconds + gap, Timestamp.latest.milliseconds)
  }
}
