import Events
import Foundation

/// The settings of a check: the number of runs or a time, their seed, whether they are guided, and
/// whether to print labels.
struct Settings {
  var runs: Int
  /// The time for random runs, which replaces their number; nil if the environment gives none.
  var duration: Duration?
  var seed: UInt64
  /// Whether runs are steered to new ground.
  var isGuided: Bool
  /// Whether a check saves the tapes that reached new ground.
  var keepsGround: Bool
  /// The maximum number of runs to shrink a failure; nil if the environment gives none.
  var shrinks: Int?
  var showsLabels: Bool

  /// Reads the settings. Environment variables override the arguments of `check`, and these
  /// override the folder `Corpus`. If none gives a seed, the seed depends on the date.
  /// - Parameters:
  ///   - fixed: the seed in the folder `Corpus`, if there is one.
  ///   - now: the current time, in milliseconds since 1970, UTC.
  init(
    runs: Int, seed: UInt64?, fixed: UInt64? = nil, guided: Bool = false,
    now: Int64 = Int64(Date().timeIntervalSince1970 * 1_000),
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(CheckError) {
    (self.runs, self.seed) = (runs, seed ?? fixed ?? Self.seed(ofDayAt: now))
    func isOn(_ variable: String) -> Bool {
      environment[variable].map { !["", "0"].contains($0) } ?? false
    }
    showsLabels = isOn("EVENTLOG_TEST_LABELS")
    let hasGuidance = environment["EVENTLOG_TEST_GUIDED"].map { !$0.isEmpty } ?? false
    isGuided = hasGuidance ? isOn("EVENTLOG_TEST_GUIDED") : guided
    keepsGround = isOn("EVENTLOG_TEST_KEEP")
    func number(_ variable: String, from least: Int) throws(CheckError) -> Int? {
      guard let text = environment[variable], !text.isEmpty else { return nil }
      guard let number = Int(text), number >= least else {
        throw .noNumber(text, variable: variable)
      }
      return number
    }
    duration = try number("EVENTLOG_TEST_SECONDS", from: 1).map { .seconds($0) }
    shrinks = try number("EVENTLOG_TEST_SHRINKS", from: 0)
    if let text = environment["EVENTLOG_TEST_RUNS"], !text.isEmpty {
      guard let number = Int(text.drop { $0 == "x" }), number > 0 else {
        throw .noNumber(text, variable: "EVENTLOG_TEST_RUNS")
      }
      let (product, isTooMuch) = runs.multipliedReportingOverflow(by: number)
      self.runs = text.hasPrefix("x") ? isTooMuch ? .max : product : number
    }
    if let text = environment["EVENTLOG_TEST_SEED"], !text.isEmpty {
      guard let number = text == "random" ? .random(in: 0 ... .max) : UInt64(text) else {
        throw .noNumber(text, variable: "EVENTLOG_TEST_SEED")
      }
      self.seed = number
    }
  }

  /// Returns the date's digits followed by six zeros, such as 20260131000000. Run n adds n to it.
  private static func seed(ofDayAt now: Int64) -> UInt64 {
    let date = "\(Timestamp(milliseconds: now))".prefix { $0 != "T" }
    return (UInt64(date.filter(\.isNumber)) ?? 0) * 1_000_000
  }
}
