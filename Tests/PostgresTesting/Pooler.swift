#if PostgreSQL
  import Foundation

  /// pgbouncer in transaction mode, in front of a test's own server.
  public final class Pooler: Sendable {
    public static let isThere =
      FileManager.default.isExecutableFile(atPath: "/usr/sbin/pgbouncer")

    public let port: Int
    private let folder: String
    private let daemon: Daemon

    public init(_ server: PostgresServer) throws {
      port = Daemon.freePort()
      folder = server.folder + "/pooler-\(port)"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      if getuid() == 0 { chown(folder, 65_534, 65_534) }
      let text = """
        [databases]
        * = host=127.0.0.1 port=\(server.port) user=postgres
        [pgbouncer]
        listen_addr = 127.0.0.1
        listen_port = \(port)
        unix_socket_dir =
        auth_type = any
        pool_mode = transaction
        default_pool_size = 4
        server_login_retry = 0.2
        ignore_startup_parameters = extra_float_digits

        """
      let path = folder + "/pgbouncer.ini"
      try text.write(toFile: path, atomically: false, encoding: .utf8)
      daemon = try Daemon(
        PostgresServer.user + ["/usr/sbin/pgbouncer", path], log: folder + "/log")
      for _ in 0..<200 {
        if (try? run(["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/\(port)"]))?.code == 0 { return }
        usleep(20_000)
      }
      throw PostgresServer.Failure(
        description: (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? "no log")
    }

    deinit { daemon.end("INT") }
  }
#endif
