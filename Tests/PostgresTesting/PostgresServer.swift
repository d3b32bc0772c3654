#if PostgreSQL
  import Foundation
  import Synchronization

  /// A test's own PostgreSQL server: on a free loopback port, in its own folder, not as root. It
  /// ends with the test.
  public final class PostgresServer: Sendable {
    public struct Failure: Error, CustomStringConvertible {
      public let description: String
    }

    /// The folder of PostgreSQL's programs, which Debian has in no path; nil if there is none.
    public static let programs: String? = {
      let found = try? run([
        "sh", "-c",
        "command -v initdb || ls -d /usr/lib/postgresql/*/bin/initdb 2>/dev/null | tail -1",
      ])
      guard let path = found?.output.split(separator: "\n").last else { return nil }
      return URL(filePath: String(path)).resolvingSymlinksInPath().deletingLastPathComponent().path
    }()

    /// One server for all tests of a process that do not stop it; nil without PostgreSQL.
    public static let shared: PostgresServer? =
      programs == nil ? nil : try? PostgresServer(settings: ["max_connections": "400"])

    /// The prefix that runs the server as another user if the tests run as root.
    static let user =
      getuid() == 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []

    public let port: Int
    public let folder: String
    private let daemon = Mutex<Daemon?>(nil)
    private let schemas = Mutex(0)

    /// Creates a new server, or a standby of another server with all its data.
    /// - Parameter access: lines of pg_hba.conf before those that let everybody in.
    public init(
      settings: [String: String] = [:], access: String = "",
      standbyOf primary: PostgresServer? = nil
    ) throws {
      guard let programs = Self.programs else { throw Failure(description: "no initdb") }
      port = Daemon.freePort()
      folder = NSTemporaryDirectory() + "eventlog-postgres-" + UUID().uuidString
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      if !Self.user.isEmpty { chown(folder, 65_534, 65_534) }
      if let primary {
        try Self.checked(
          Self.user + [
            programs + "/pg_basebackup", "-D", folder + "/data", "-R", "-X", "stream", "-c", "fast",
            "-d", primary.address(application: "standby"),
          ])
      } else {
        try Self.checked(
          Self.user + [
            programs + "/initdb", "-D", folder + "/data", "-U", "postgres", "-A", "trust", "-E",
            "UTF8", "--locale=C", "-N",
          ])
      }
      let all = [
        "port": "\(port)", "listen_addresses": "127.0.0.1", "unix_socket_directories": folder,
      ].merging(settings) { $1 }
      let text = all.map { "\($0) = '\($1)'\n" }.joined()
      let path = folder + "/data/postgresql.auto.conf"
      // pg_basebackup has written the primary's address there.
      let file = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
      let kept = file.split(separator: "\n").filter { line in
        !all.keys.contains { line.hasPrefix($0 + " ") }
      }
      try (kept.joined(separator: "\n") + "\n" + text).write(
        toFile: path, atomically: false, encoding: .utf8)
      let rules = folder + "/data/pg_hba.conf"
      let old = try String(contentsOfFile: rules, encoding: .utf8)
      try (access + "\n" + old).write(toFile: rules, atomically: false, encoding: .utf8)
      try start()
    }

    public static func shell(_ script: String) throws { try checked(["sh", "-ec", script]) }

    deinit {
      stop("QUIT")
      try? FileManager.default.removeItem(atPath: folder)
    }

    private static func checked(_ command: [String]) throws {
      let result = try run(command)
      if result.code != 0 { throw Failure(description: "\(command): \(result.output)") }
    }

    public func start() throws {
      let programs = Self.programs ?? ""
      let started = try Daemon(
        Self.user + [programs + "/postgres", "-D", folder + "/data"], log: folder + "/log")
      daemon.withLock { $0 = started }
      for _ in 0..<600 {
        if try run([programs + "/pg_isready", "-q", "-h", "127.0.0.1", "-p", "\(port)"]).code == 0 {
          return
        }
        usleep(50_000)
      }
      throw Failure(
        description: (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? "no log")
    }

    /// - Parameter signal: `INT` for a fast shutdown, `QUIT` for an immediate one without a
    ///   checkpoint, `KILL` for a crash.
    public func stop(_ signal: String = "INT") {
      let running = daemon.withLock { running in
        defer { running = nil }
        return running
      }
      running?.end(signal)
      // Backends that outlive a killed postmaster would keep its memory.
      if signal == "KILL" { usleep(300_000) }
    }

    public func restart(_ signal: String) throws {
      stop(signal)
      try start()
    }

    /// Makes a standby an independent server.
    public func promote() throws { try sql("SELECT pg_promote()") }

    /// Runs statements with psql; returns their output without headings.
    @discardableResult
    public func sql(_ text: String) throws -> String {
      let result = try run([
        (Self.programs ?? "") + "/psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", address(), "-c",
        text,
      ])
      if result.code != 0 { throw Failure(description: "\(text): \(result.output)") }
      return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func address(database: String = "dbname=postgres", application: String = "test")
      -> String
    {
      "host=127.0.0.1 port=\(port) user=postgres \(database) application_name=\(application)"
    }

    public func newLog(port: Int? = nil) -> String {
      let number = schemas.withLock { number in
        number += 1
        return number
      }
      return log("log_\(number)", port: port)
    }

    public func log(_ schema: String, port: Int? = nil) -> String {
      "postgresql://postgres@127.0.0.1:\(port ?? self.port)/postgres#\(schema)"
    }
  }
#endif
