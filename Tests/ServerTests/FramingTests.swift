#if Server
  import Foundation
  import Testing

  /// Requests whose end is uncertain, and requests that the head refuses.
  @Suite struct FramingTests {
    private static let bearer = "Authorization: Bearer \(Token.of("ann"))\r\n"
    private static let post = "POST /v1/do/FollowUser HTTP/1.1\r\nHost: x\r\n"
    private static let input = #"{"followee":"bob"}"#
    /// The request that an attacker hides in a body.
    private static let hidden = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    private static let empty = "0\r\n\r\n"

    /// Requests whose body holds another one, for a reader that frames in another way.
    private static let attacks: [(what: String, headers: String, body: String, status: Int)] = [
      (
        "length and chunks",
        "Content-Length: \((empty + hidden).utf8.count)\r\n"
          + "Transfer-Encoding: chunked\r\n", empty + hidden, 400
      ),
      (
        "chunks and length",
        "Transfer-Encoding: chunked\r\n"
          + "Content-Length: \((empty + hidden).utf8.count)\r\n", empty + hidden, 400
      ),
      ("a folded value", "Transfer-Encoding:\r\n chunked\r\n", hidden, 400),
      ("a folded value, cut", "Transfer-Encoding: chun\r\n\tked\r\n", hidden, 400),
      ("a folded name", "Transfer-Enc: chunked\r\n oding\r\n", empty + hidden, 400),
      ("another folded header", "X-A: b\r\n Transfer-Encoding: chunked\r\n", hidden, 400),
      ("two codings", "Transfer-Encoding: gzip, chunked\r\n", empty + hidden, 501),
      ("an unknown coding", "Transfer-Encoding: gzip\r\n", hidden, 501),
      ("a coding that is nearly one", "Transfer-Encoding: xchunked\r\n", empty + hidden, 501),
      ("a coding and a space", "Transfer-Encoding: chunked \r\n", empty + hidden, 501),
      (
        "chunked twice", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        empty + hidden, 400
      ),
      ("a space before the colon", "Transfer-Encoding : chunked\r\n", empty + hidden, 400),
      ("a length that is none", "Content-Length: 1x\r\n", hidden, 400),
      ("a sign", "Content-Length: +5\r\n", hidden, 400),
      ("no digits", "Content-Length: \r\n", hidden, 400),
      ("a list of lengths", "Content-Length: 5, 5\r\n", hidden, 400),
      ("a huge length", "Content-Length: 99999999999999999999\r\n", hidden, 400),
    ]

    private static func count(_ text: String, in answer: String) -> Int {
      answer.components(separatedBy: text).count - 1
    }

    @Test(
      "An ambiguous request gets one answer, the connection closes, and later bytes are not read")
    func closes() throws {
      let server = try ServeTests.start()
      defer { server.remove() }
      for (what, headers, body, status) in Self.attacks {
        for isSplit in [false, true] {
          let connection = try Connection(server.port)
          connection.send(Self.post + Self.bearer + headers + "\r\n")
          if isSplit { usleep(50_000) }
          connection.send(body)
          let text = String(decoding: connection.readToEnd(), as: UTF8.self)
          #expect(text.hasPrefix("HTTP/1.1 \(status) "), "\(what): \(text)")
          #expect(Self.count("HTTP/1.1 ", in: text) == 1, "\(what): \(text)")
          #expect(text.contains("\r\nConnection: close\r\n"), "\(what): \(text)")
          #expect(Self.count(#""error":""#, in: text) == 1, "\(what): \(text)")
        }
      }
      #expect(server.lines.count == 2)
    }

    @Test("A missing Host, a bad length, and a long chunk extension have one status line")
    func statusLines() throws {
      let server = try ServeTests.start()
      defer { server.remove() }
      let long = String(repeating: "a", count: 40_000)
      let chunks = "12;\(long)\r\n\(Self.input)\r\n0\r\n\r\n"
      let requests: [(String, [String])] = [
        ("no host", ["GET /healthz HTTP/1.1\r\n\r\n"]),
        (
          "no host, a command",
          [
            "POST /v1/do/FollowUser HTTP/1.1\r\n\(Self.bearer)Content-Length: 18\r\n\r\n"
              + Self.input
          ]
        ),
        (
          "an old protocol with chunks",
          [
            Self.post.replacing("1.1", with: "1.0") + Self.bearer
              + "Transfer-Encoding: chunked\r\n\r\n12\r\n\(Self.input)\r\n0\r\n\r\n"
          ]
        ),
        ("a length in parts", [Self.post, Self.bearer + "Content-Length: -1\r\n", "\r\n"]),
        ("an extension", [Self.post + Self.bearer + "Transfer-Encoding: chunked\r\n\r\n" + chunks]),
        (
          "an extension later",
          [Self.post + Self.bearer + "Transfer-Encoding: chunked\r\n\r\n", chunks]
        ),
      ]
      for (what, parts) in requests {
        let connection = try Connection(server.port)
        for part in parts {
          connection.send(part)
          usleep(30_000)
        }
        let text = String(decoding: connection.readToEnd(), as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 400 "), "\(what): \(text)")
        #expect(Self.count("HTTP/1.1 ", in: text) == 1, "\(what): \(text)")
        #expect(text.hasSuffix("}") && text.contains(#""error":"badRequest""#), "\(what): \(text)")
      }
      #expect(server.lines.count == 2)
      let chunked = try Connection(server.port)
      chunked.send(
        Self.post + Self.bearer + "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
          + "12;a=b\r\n\(Self.input)\r\n0\r\n\r\n")
      #expect(Answer(chunked.readToEnd()).status == 200)
      #expect(try server.raw("GET /healthz HTTP/1.0\r\n\r\n").status == 200)
    }

    @Test("Behind a proxy that reuses connections, no caller gets another caller's answer")
    func front() throws {
      let server = try ServeTests.start()
      defer { server.remove() }
      for framing in [Front.Framing.length, .chunks, .rest] {
        var front = Front(server.port, framing)
        for (what, headers, body, _) in Self.attacks {
          let attack = try front.forward(Self.post + Self.bearer + headers + "\r\n", body)
          #expect(attack.status >= 400, "\(framing) \(what)")
          for _ in 0..<3 {
            let answer = try front.forward(
              "GET /v1/do/GetFollowCounts?user=bob HTTP/1.1\r\nHost: x\r\n"
                + "Authorization: Bearer \(Token.of("bob"))\r\n\r\n", "")
            #expect(answer.body.hasPrefix(#"{"result":{"followers":"#), "\(framing) \(what)")
          }
        }
        #expect(front.connections > Self.attacks.count)
        // Connections are kept after correct requests.
        let before = front.connections
        for user in ["ann", "bob", "ann"] {
          let answer = try front.forward(
            "POST /v1/do/GetFollowCounts HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n"
              + "Authorization: Bearer \(Token.of(user))\r\n\r\n", "{}")
          #expect(answer.status == 200)
        }
        #expect(front.connections == before)
      }
    }

    // MARK: Refused by the head

    @Test("A request that the head refuses is answered before its body has come")
    func early() throws {
      let server = try ServeTests.start()
      defer { server.remove() }
      let open = "POST /v1/do/FollowUser HTTP/1.1\r\nHost: x\r\n"
      let expect = "Expect: 100-continue\r\n"
      for (what, head, status) in [
        ("no token", open + "Content-Length: 1000000\r\n", 401),
        ("no token, chunks", open + "Transfer-Encoding: chunked\r\n", 401),
        ("no token, expects 100", open + expect + "Content-Length: 1000000\r\n", 401),
        ("no token, a photo", "PUT /v1/photo HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n", 401),
        ("no body, expects 100", open + expect, 401),
        (
          "a bad token", open + "Authorization: Bearer a.b.c\r\n\(expect)Content-Length: 9\r\n", 401
        ),
        ("no such page", "POST /v1/x HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n", 404),
        ("too large", open + Self.bearer + expect + "Content-Length: 9000000\r\n", 413),
      ] {
        let connection = try Connection(server.port)
        let begun = ContinuousClock.now
        connection.send(head + "\r\n")
        let text = String(decoding: connection.readToEnd(), as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 \(status) "), "\(what): \(text)")
        #expect(Self.count("HTTP/1.1 ", in: text) == 1, "\(what): \(text)")
        #expect(ContinuousClock.now - begun < .seconds(5), "\(what)")
      }
      let admitted = try Connection(server.port)
      admitted.send(Self.post + Self.bearer + expect + "Content-Length: 18\r\n\r\n")
      #expect(admitted.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 100 "))
      admitted.send(Self.input)
      #expect(admitted.read(until: "}").contains("HTTP/1.1 200 "))
    }

    @Test("A client that sends its whole body first still gets the answer to its head")
    func late() throws {
      let server = try ServeTests.start()
      defer { server.remove() }
      for count in [10, 1 << 20, 16 << 20] {
        let connection = try Connection(server.port)
        let body = [UInt8](repeating: 0x20, count: count)
        connection.send(
          "POST /v1/run HTTP/1.1\r\nHost: x\r\nContent-Length: \(count)\r\n\r\n")
        #expect(connection.send(body), "\(count)")
        #expect(Answer(connection.readToEnd()).status == 401, "\(count)")
      }
    }
  }

  /// A proxy with one connection to the server, which it keeps from one caller to the next.
  private struct Front {
    /// How the proxy finds a request's end.
    enum Framing { case length, chunks, rest }

    private let port: UInt16
    private let framing: Framing
    private var connection: Connection?
    private var buffer: [UInt8] = []
    private(set) var connections = 0

    init(_ port: UInt16, _ framing: Framing) { (self.port, self.framing) = (port, framing) }

    /// Sends a caller's request unchanged, and reads one answer by its length.
    /// - Parameter body: all bytes that the caller sent after the head.
    mutating func forward(_ head: String, _ body: String) throws -> Answer {
      if connection == nil {
        (connection, buffer) = (try Connection(port), [])
        connections += 1
      }
      let isChunks = head.contains("chunked") && framing == .chunks
      let isLength = head.contains("Content-Length: ") && (framing == .length || !isChunks)
      let sent = isLength || isChunks || framing == .rest ? body : ""
      connection?.send(head + sent)
      var text = ""
      while true {
        text = String(decoding: buffer, as: UTF8.self)
        if let end = text.range(of: "\r\n\r\n") {
          let head = Answer(Array(text[..<end.upperBound].utf8))
          let count = text[..<end.upperBound].utf8.count + (Int(head["Content-Length"] ?? "0") ?? 0)
          if buffer.count >= count {
            let answer = Answer(Array(buffer.prefix(count)))
            buffer.removeFirst(count)
            if answer["Connection"] == "close" { connection = nil }
            return answer
          }
        }
        let bytes = connection?.read() ?? []
        if bytes.isEmpty { break }
        buffer += bytes
      }
      connection = nil
      return Answer(Array(text.utf8))
    }
  }
#endif
