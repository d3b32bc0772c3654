#if PostgreSQL
  import EventLog
  import Events
  import Foundation
  import PostgreSQL
  import PostgresTesting
  import Testing

  /// TLS with a checked certificate, and passwords by SCRAM.
  @Suite struct TLSTests {
    @Test("A server needs its certificate and name, and a client its password")
    func verified() async throws {
      let scratch = try Scratch()
      let keys = scratch.path + "/keys"
      try FileManager.default.createDirectory(atPath: keys, withIntermediateDirectories: true)
      try PostgresServer.shell(
        """
        cd '\(keys)'; chmod 755 '\(scratch.path)' .
        for ca in ca other; do
          openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=$ca \
            -keyout $ca.key -out $ca.crt
        done
        openssl req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout server.key -out server.csr
        printf 'subjectAltName=DNS:localhost' > names
        openssl x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 \
          -extfile names -out server.crt
        chmod 600 server.key; [ "$(id -u)" != 0 ] || chown 65534 server.key
        """)
      let server = try PostgresServer(
        settings: [
          "ssl": "on", "ssl_cert_file": keys + "/server.crt", "ssl_key_file": keys + "/server.key",
        ],
        access: """
          hostssl all app 127.0.0.1/32 scram-sha-256
          hostnossl all app 127.0.0.1/32 reject
          """)
      let schema = String(try await newLog(server).split(separator: "#")[1])
      try server.sql("CREATE ROLE app LOGIN PASSWORD 'geheim'")
      try server.sql("GRANT \(schema)_writer TO app")
      func address(_ host: String, _ password: String, _ more: String) -> String {
        "postgresql://app:\(password)@\(host):\(server.port)/postgres?\(more)#\(schema)"
      }
      let verifying = "sslmode=verify-full&sslrootcert=\(keys)/ca.crt"
      let log = try await scratch.clone(address("localhost", "geheim", verifying), "log")
      try await log.append(Commit([following("a", "b")]))
      #expect(await log.head() == 1)
      for (address, reason) in [
        (address("127.0.0.1", "geheim", verifying), "does not match host name"),
        (
          address("localhost", "geheim", "sslmode=verify-full&sslrootcert=\(keys)/other.crt"),
          "certificate verify failed"
        ), (address("localhost", "falsch", verifying), "password authentication failed"),
        (address("localhost", "geheim", "sslmode=disable"), "pg_hba.conf rejects connection"),
      ] {
        do {
          _ = try await scratch.clone(address, "none")
          Issue.record("\(address) was believed")
        } catch {
          #expect("\(error)".contains(reason), "\(error)")
          #expect(!"\(error)".contains("geheim") && !"\(error)".contains("falsch"))
        }
      }
    }
  }
#endif
