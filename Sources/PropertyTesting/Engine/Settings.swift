import Foundation

/// How many runs, and from which seed.
struct Settings {
  var runs: Int
  var seed: UInt64

  /// What a call says, unless the environment says otherwise.
  init(
    runs: Int, seed: UInt64, environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(CheckError) {
    (self.runs, self.seed) = (runs, seed)
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
}
