#if PostgreSQL
  import Foundation
  import Synchronization

  /// A program in the background, which ends with the process that started it.
  ///
  /// A shell runs it, and checks whether that process still exists, so that the program ends
  /// however the process ends.
  final class Daemon: Sendable {
    private let shell: Mutex<Process?>
    private let signal: String

    /// - Parameter command: the program and its arguments.
    init(_ command: [String], log: String) throws {
      let process = Process()
      signal = log + ".signal"
      process.executableURL = URL(filePath: "/bin/sh")
      process.arguments =
        [
          "-c",
          #"log=$1; parent=$2; shift 2; rm -f "$log.signal"; "$@" >>"$log" 2>&1 & pid=$!; "#
            + #"while kill -0 $pid && kill -0 $parent && ! [ -s "$log.signal" ]; "#
            + "do sleep 0.05; done; "
            + #"kill -$(cat "$log.signal" || echo QUIT) $pid; wait $pid"#,
          "sh", log, "\(getpid())",
        ] + command
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      shell = Mutex(process)
    }

    deinit { end("QUIT") }

    /// Sends a signal, and waits until the program has ended.
    func end(_ name: String) {
      let running = shell.withLock { shell in
        defer { shell = nil }
        return shell
      }
      guard let running else { return }
      try? name.write(toFile: signal, atomically: false, encoding: .utf8)
      running.waitUntilExit()
    }

    /// A free port of the loopback interface.
    static func freePort() -> Int {
      let file = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(file) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      return withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          guard bind(file, address, length) == 0, getsockname(file, address, &length) == 0 else {
            preconditionFailure("there is no free port")
          }
        }
        return Int(UInt16(bigEndian: pointer.pointee.sin_port))
      }
    }
  }

  @discardableResult
  func run(_ command: [String], environment: [String: String] = [:]) throws -> (
    code: Int32, output: String
  ) {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    (process.standardOutput, process.standardError) = (pipe, pipe)
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }
#endif
