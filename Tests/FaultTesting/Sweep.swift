#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The thoroughness of the sweeps, from `EVENTLOG_TEST_SWEEP`: 0 or not set, 1 as in the optimized
/// build of continuous integration, or 2, the long mode of docs/reliability.md.
public enum Sweep: Int, Sendable {
  case short, moderate, long

  public static let chosen: Sweep = {
    switch getenv("EVENTLOG_TEST_SWEEP").map({ String(cString: $0) }) {
    case nil, "0": return .short
    case "2": return .long
    default: return .moderate
    }
  }()

  /// The number for the chosen thoroughness.
  public static func size(_ short: Int, _ moderate: Int, _ long: Int) -> Int {
    [short, moderate, long][chosen.rawValue]
  }

  /// The number of kills: `EVENTLOG_TEST_KILLS`, or the number for the chosen thoroughness.
  public static func kills(_ short: Int, _ moderate: Int, _ long: Int) -> Int {
    getenv("EVENTLOG_TEST_KILLS").flatMap { Int(String(cString: $0)) }
      ?? size(short, moderate, long)
  }

  /// Adds to the count of survived failures in the file that `EVENTLOG_TEST_TALLY` names.
  public static func tally(_ what: String, _ count: Int) {
    guard let path = getenv("EVENTLOG_TEST_TALLY"), let file = fopen(path, "a") else { return }
    defer { fclose(file) }
    let line = "\(count) \(what)\n"
    fputs(line, file)
  }
}
