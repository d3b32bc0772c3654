#if Server
  import CServer
  import FaultTesting
  import Foundation

  /// The built command as a server, in its own folder, on a free port of loopback.
  ///
  /// Clients may be on any thread; one thread starts and ends it.
  final class ServerProcess: @unchecked Sendable {
    static let secret = "a secret of a length that a key must have"
    let folder: URL
    let process = Process()
    private(set) var port: UInt16 = 0
    private let errors: URL

    var log: String { folder.appending(path: "a.log").path }

    /// - Parameters:
    ///   - folder: an earlier server's folder, to continue there; nil creates one with an empty
    ///     log.
    ///   - options: these replace the token key if they name one or none is wanted.
    ///   - secret: the content of a file `key` in the folder.
    ///   - program: another program than the command; it gets the log and the file of the key.
    init(
      _ options: [String] = [], in folder: URL? = nil, log: String? = nil, secret: String? = nil,
      program: String? = nil
    ) throws {
      let isNew = folder == nil
      self.folder =
        folder
        ?? FileManager.default.temporaryDirectory.appending(
          path: "eventlog-serve-\(UUID().uuidString)", directoryHint: .isDirectory)
      errors = self.folder.appending(path: "errors-\(UUID().uuidString)")
      if isNew {
        try FileManager.default.createDirectory(
          at: self.folder, withIntermediateDirectories: true)
        try Data(Self.secret.utf8).write(to: self.folder.appending(path: "secret"))
        if let secret { try Data(secret.utf8).write(to: self.folder.appending(path: "key")) }
        if let log {
          try FileManager.default.copyItem(atPath: log, toPath: self.log)
        } else {
          try Self.eventlog(["init", self.log])
        }
      }
      var arguments = ["serve", "--log", self.log, "--listen", "127.0.0.1:0"]
      if !options.contains("--token-key"), !options.contains("--insecure-users") {
        arguments += ["--token-key", self.folder.appending(path: "secret").path]
      }
      try Data().write(to: errors)
      process.executableURL = products.appending(path: program ?? "eventlog")
      process.arguments =
        program == nil
        ? arguments + options : [self.log, self.folder.appending(path: "secret").path]
      process.currentDirectoryURL = self.folder
      process.standardOutput = FileHandle.nullDevice
      process.standardInput = FileHandle.nullDevice
      process.standardError = try FileHandle(forWritingTo: errors)
      try process.run()
      try waitUntilReady()
    }

    private func waitUntilReady() throws {
      for _ in 0..<3_000 {
        if let match = said.firstMatch(of: #/listening on http:\/\/[^ ]*:(\d+)/#) {
          port = UInt16(match.output.1)!
          return
        }
        if !process.isRunning {
          throw NotReady(said: said, status: process.terminationStatus)
        }
        usleep(10_000)
      }
      throw NotReady(said: said, status: nil)
    }

    struct NotReady: Error {
      var said: String
      /// The exit status, after its end.
      var status: Int32?
    }

    /// The text that it has written to standard error.
    var said: String { (try? String(contentsOf: errors, encoding: .utf8)) ?? "" }

    @discardableResult
    static func eventlog(_ arguments: [String]) throws -> Int32 {
      let process = Process()
      process.executableURL = products.appending(path: "eventlog")
      process.arguments = arguments
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      return process.terminationStatus
    }

    /// Ends it with a signal, and waits; returns its exit status.
    @discardableResult
    func end(_ signal: Int32 = SIGTERM) -> Int32 {
      if process.isRunning { kill(process.processIdentifier, signal) }
      process.waitUntilExit()
      return process.terminationStatus
    }

    func remove() {
      end(SIGKILL)
      try? FileManager.default.removeItem(at: folder)
    }

    var lines: [String] { Self.lines(of: log) }

    static func lines(of log: String) -> [String] {
      let files = (try? FileManager.default.contentsOfDirectory(atPath: log)) ?? []
      return files.filter { $0.hasSuffix(".jsonl") }.sorted().flatMap { file in
        ((try? String(contentsOfFile: log + "/" + file, encoding: .utf8)) ?? "")
          .split(separator: "\n").map(String.init)
      }
    }

    func send(
      _ method: String, _ target: String, as user: String? = nil, headers: [String] = [],
      body: String? = nil, type: String = "application/json"
    ) throws -> Answer {
      var lines =
        ["\(method) \(target) HTTP/1.1", "Host: localhost", "Connection: close"] + headers
      if let user { lines.append("Authorization: Bearer \(Token.of(user))") }
      if let body {
        lines += ["Content-Type: \(type)", "Content-Length: \(body.utf8.count)"]
      }
      return try raw(lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? ""))
    }

    func post(
      _ name: String, as user: String?, _ input: String = "{}", key: String? = nil
    ) throws -> Answer {
      try send(
        "POST", "/v1/do/\(name)", as: user, headers: key.map { ["Idempotency-Key: \($0)"] } ?? [],
        body: input)
    }

    func raw(_ text: String) throws -> Answer {
      let connection = try Connection(port)
      connection.send(text)
      return Answer(connection.readToEnd())
    }
  }

  /// An answer, unparsed.
  struct Answer {
    var status = 0
    var head = ""
    var body = ""

    init(_ bytes: [UInt8]) {
      let text = String(decoding: bytes, as: UTF8.self)
      guard let end = text.range(of: "\r\n\r\n") else {
        head = text
        return
      }
      head = String(text[..<end.lowerBound])
      body = String(text[end.upperBound...])
      status = Int(head.split(separator: " ").dropFirst().first ?? "") ?? 0
      if self["Transfer-Encoding"] == "chunked" { body = Self.joined(body) }
    }

    private static func joined(_ text: String) -> String {
      var (rest, out) = (Array(text.utf8)[...], [UInt8]())
      while let end = rest.firstIndex(of: 13),
        let count = Int(String(decoding: rest[..<end], as: UTF8.self), radix: 16), count > 0
      {
        out += rest[(end + 2)...].prefix(count)
        rest = rest.dropFirst(end + 2 - rest.startIndex + count + 2)
      }
      return String(decoding: out, as: UTF8.self)
    }

    subscript(header: String) -> String? {
      for line in head.components(separatedBy: "\r\n").dropFirst() {
        let parts = line.split(separator: ":", maxSplits: 1)
        if parts.count == 2, parts[0].lowercased() == header.lowercased() {
          return parts[1].trimmingCharacters(in: .whitespaces)
        }
      }
      return nil
    }

    var error: String? {
      body.firstMatch(of: #/"error":"(\w+)"/#).map { String($0.output.1) }
    }
  }

  /// A connection to loopback, byte for byte.
  final class Connection {
    private let socket: Int32

    struct Refused: Error {}

    init(_ port: UInt16) throws {
      socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      var patience = timeval(tv_sec: 60, tv_usec: 0)
      setsockopt(
        socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
      let result = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      guard result == 0 else { throw Refused() }
    }

    deinit { close(socket) }

    /// - Returns: whether all bytes were sent.
    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
      var done = 0
      while done < bytes.count {
        let count = bytes.withUnsafeBytes {
          Glibc.send(
            socket, $0.baseAddress! + done, bytes.count - done, Int32(MSG_NOSIGNAL))
        }
        if count <= 0 { return false }
        done += count
      }
      return true
    }

    /// The next bytes; none at the end, or after a minute without any.
    func read() -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: 1 << 16)
      let count = recv(socket, &bytes, bytes.count, 0)
      return Array(bytes.prefix(max(0, count)))
    }

    func readToEnd() -> [UInt8] {
      var all: [UInt8] = []
      while true {
        let bytes = read()
        if bytes.isEmpty { return all }
        all += bytes
      }
    }

    /// Reads until a text has come; returns everything read.
    func read(until text: String) -> String {
      var all = ""
      let end = Date(timeIntervalSinceNow: 60)
      while !all.contains(text), Date() < end {
        let bytes = read()
        if bytes.isEmpty { break }
        all += String(decoding: bytes, as: UTF8.self)
      }
      return all
    }
  }

  /// Tokens as an identity provider makes them.
  enum Token {
    /// A token of a user, or of a service if the name begins with `service:`; valid for an hour.
    static func of(_ user: String) -> String {
      let service = user.hasPrefix("service:")
      let name = service ? String(user.dropFirst(8)) : user
      return make(service ? ["sub": name, "role": "service"] : ["sub": name])
    }

    /// - Parameters:
    ///   - claims: texts; `exp` is added.
    ///   - numbers: claims that are numbers.
    static func make(
      _ claims: [String: String], numbers: [String: Int] = [:], lasting: Int? = 3_600,
      algorithm: jwt_alg_t = JWT_ALG_HS256, key: String = ServerProcess.secret,
      header: [String: String] = [:], json: String? = nil, headers: String? = nil
    ) -> String {
      var token: OpaquePointer?
      jwt_new(&token)
      defer { jwt_free(token) }
      for (name, value) in claims { jwt_add_grant(token, name, value) }
      for (name, value) in numbers { jwt_add_grant_int(token, name, value) }
      if let json { jwt_add_grants_json(token, json) }
      if let lasting { jwt_add_grant_int(token, "exp", time(nil) + lasting) }
      for (name, value) in header { jwt_add_header(token, name, value) }
      if let headers { jwt_add_headers_json(token, headers) }
      let bytes = Array(key.utf8)
      if algorithm == JWT_ALG_NONE {
        jwt_set_alg(token, algorithm, nil, 0)
      } else {
        jwt_set_alg(token, algorithm, bytes, Int32(bytes.count))
      }
      let text = jwt_encode_str(token)!
      defer { free(text) }
      return String(cString: text)
    }
  }
#endif
