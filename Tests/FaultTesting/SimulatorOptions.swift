import Foundation

/// The arguments of a simulator's command line.
public struct SimulatorOptions {
  private let program: String
  private let usage: String
  private var numbers: [String: UInt64]
  private var texts: [String: String] = [:]
  /// Whether a failing script is shrunk.
  public private(set) var shrinks = true

  /// Reads the arguments. `--help` and `--list-bugs` end the process.
  /// - Parameters:
  ///   - numbers: the options that take a number, with their values if they are not given.
  ///   - bugs: the lines that `--list-bugs` prints.
  public init(_ program: String, usage: String, numbers: [String: UInt64], bugs: [String]) {
    (self.program, self.usage, self.numbers) = (program, usage, numbers)
    var arguments = CommandLine.arguments.dropFirst()
    while let name = arguments.popFirst() {
      switch name {
      case "--help", "-h":
        print(usage)
        exit(0)
      case "--list-bugs":
        for bug in bugs { print(bug) }
        exit(0)
      case "--no-shrinking": shrinks = false
      case "--script", "--bug", "--out":
        guard let text = arguments.popFirst() else { fail("\(name) needs a value") }
        texts[name] = text
      default:
        if numbers[name] == nil { fail("there is no option \(name)") }
        guard let number = arguments.popFirst().flatMap({ UInt64($0) }) else {
          fail("\(name) needs a number")
        }
        self.numbers[name] = number
      }
    }
  }

  /// Ends the process because it was called wrongly.
  public func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("\(program): \(message)\n\n\(usage)\n".utf8))
    exit(64)
  }

  public func number(_ name: String) -> UInt64 { numbers[name] ?? 0 }

  /// The folder where a failure leaves its script; nil if none is given.
  public var folder: String? { texts["--out"] }

  /// Returns the bug to plant; nil if none is given.
  public func bug<Bug: RawRepresentable<String>>(_ type: Bug.Type) -> Bug? {
    guard let name = texts["--bug"] else { return nil }
    guard let bug = Bug(rawValue: name) else {
      fail("there is no bug \(name); --list-bugs lists them")
    }
    return bug
  }

  /// Returns the given script; nil if none is given.
  package func script<Kind>(_ type: SimulationScript<Kind>.Type) -> SimulationScript<Kind>? {
    guard let path = texts["--script"] else { return nil }
    guard let text = try? String(contentsOfFile: path, encoding: .utf8),
      let script = SimulationScript<Kind>(text: text)
    else { fail("\(path) is not a script") }
    return script
  }
}
