#if Server
  import FaultTesting
  import Foundation
  import Server
  import Testing

  /// Proxies in front of the server: who the client of a request is.
  @Suite struct ProxyTests {
    @Test(
      "An address has one value in all its spellings",
      arguments: [
        ("192.0.2.1", "::ffff:192.0.2.1"), ("192.0.2.1", "::FFFF:c000:201"),
        ("192.0.2.1", "0:0:0:0:0:ffff:192.0.2.1"), ("::1", "0:0:0:0:0:0:0:1"),
        ("2001:db8::1", "2001:0DB8:0:0::0:1"), ("::", "0:0:0:0:0:0:0:0"),
        ("1::", "1:0:0:0:0:0:0:0"), ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
      ])
    func spellings(_ first: String, _ second: String) throws {
      let address = try #require(IPAddress(first))
      #expect(address == IPAddress(second))
      // The printed address is the same one.
      #expect(IPAddress("\(address)") == address)
    }

    @Test(
      "A text that is not an address is none",
      arguments: [
        "", " ", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "1.2.3.04", "1.2.3.", "+1.2.3.4",
        "1.2.3.4 ",
        "0x7f.0.0.1", "１.2.3.4", ":", ":::", "1::2::3", ":1:2:3:4:5:6:7", "1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "1::2:3:4:5:6:7:8", "12345::", "g::", "+1::",
        "fe80::1%eth0", "1.2.3.4::", "::1.2.3", "1:2:3:4:5:6:7:1.2.3.4", "[::1]", "localhost",
      ])
    func notAddresses(_ text: String) { #expect(IPAddress(text) == nil) }

    @Test("A network contains the addresses that share its bits, IPv4 also in its IPv6 form")
    func networks() throws {
      func contains(_ network: String, _ address: String) throws -> Bool {
        try #require(IPNetwork(network)).contains(try #require(IPAddress(address)))
      }
      for (network, address) in [
        ("10.0.0.0/8", "10.255.0.1"), ("10.0.0.0/8", "::ffff:10.1.2.3"), ("10.0.0.5", "10.0.0.5"),
        ("::ffff:10.0.0.0/104", "10.9.9.9"), ("0.0.0.0/0", "255.255.255.255"),
        ("2001:db8::/32", "2001:db8:ffff::1"), ("::/0", "10.0.0.1"), ("::1", "::1"),
        ("192.168.1.128/25", "192.168.1.255"), ("fe80::/10", "febf::1"),
      ] { #expect(try contains(network, address), "\(network) \(address)") }
      for (network, address) in [
        ("10.0.0.0/8", "11.0.0.0"), ("10.0.0.5", "10.0.0.6"), ("0.0.0.0/0", "::1"),
        ("2001:db8::/32", "2001:db9::"), ("192.168.1.128/25", "192.168.1.127"),
        ("::/96", "10.0.0.1"), ("fe80::/10", "fec0::1"),
      ] { #expect(try !contains(network, address), "\(network) \(address)") }
      for text in [
        "10.0.0.5/8", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/08", "10.0.0.0/-1", "2001:db8::/129",
        "2001:db8::1/64", "/8", "10.0.0.0/8/8", "proxy.example.org", "",
      ] { #expect(IPNetwork(text) == nil, "\(text)") }
    }

    @Test("Loopback addresses are known, and an IPv6 client counts by its network")
    func kinds() throws {
      for text in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"] {
        #expect(IPAddress(text)?.isLoopback == true, "\(text)")
      }
      for text in ["128.0.0.1", "0.0.0.0", "::", "::127.0.0.1", "::2"] {
        #expect(IPAddress(text)?.isLoopback == false, "\(text)")
      }
      #expect(
        IPAddress("2001:db8:1:2:3::4")?.forCounting == IPAddress("2001:db8:1:2:ffff::")?.forCounting
      )
      #expect(
        IPAddress("2001:db8:1:2::")?.forCounting != IPAddress("2001:db8:1:3::")?.forCounting)
      #expect(IPAddress("192.0.2.1")?.forCounting != IPAddress("192.0.2.2")?.forCounting)
    }

    @Test("The client is the last address that is not a trusted proxy, whatever comes before it")
    func clients() throws {
      let networks = [IPNetwork("192.0.2.1"), IPNetwork("10.0.0.0/8")].compactMap { $0 }
      func client(_ header: String?, from sender: String = "192.0.2.1") -> RequestHead.Client {
        var head = RequestHead("GET", "/")
        head.address = IPAddress(sender)
        head[.forwardedFor] = header
        return TrustedProxies(networks).client(of: head)
      }
      for header in [
        "203.0.113.7", "198.51.100.1, 203.0.113.7", "198.51.100.2,203.0.113.7 , 10.1.2.3",
        "198.51.100.3,203.0.113.7,10.9.9.9,192.0.2.1", "::ffff:203.0.113.7", "203.0.113.7:4711",
        "not an address, 203.0.113.7", ",,203.0.113.7", "[::ffff:203.0.113.7]:4711",
        "\t203.0.113.7\t",
      ] {
        let found = client(header)
        #expect(found.address == IPAddress("203.0.113.7") && found.isBehindProxy, "\(header)")
      }
      #expect(client("2001:db8::1").address == IPAddress("2001:db8::1"))
      #expect(client("[2001:db8::1]:4711").address == IPAddress("2001:db8::1"))
      // What stands before a text that is not an address is not believed.
      for header in ["203.0.113.7, unknown", "203.0.113.7,", "203.0.113.7, 192.0.2", ""] {
        #expect(client(header).address == IPAddress("192.0.2.1"), "\(header)")
      }
      #expect(client("203.0.113.7, x, 10.1.1.1").address == IPAddress("10.1.1.1"))
      #expect(client("10.0.0.9, 10.1.1.1").address == IPAddress("10.0.0.9"))
      #expect(client(nil).address == IPAddress("192.0.2.1") && !client(nil).isBehindProxy)
      for sender in ["203.0.113.9", "127.0.0.1", "192.0.2.2"] {
        let found = client("203.0.113.7", from: sender)
        #expect(found.address == IPAddress(sender) && !found.isBehindProxy)
      }
    }

    @Test("A header from an address that is not trusted is ignored, and the server warns once")
    func untrusted() throws {
      let warning =
        "X-Forwarded-For came from 127.0.0.1, which is not a trusted proxy, and is ignored; "
        + "if that is your proxy, add --trusted-proxy 127.0.0.1"
      for (proxies, count) in [("10.0.0.0/8", 1), ("127.0.0.0/8", 0)] {
        let server = try ServeTests.start(["--trusted-proxy", proxies])
        defer { server.remove() }
        for number in 0..<3 {
          let headers = ["X-Forwarded-For: 203.0.113.\(number)", "X-Forwarded-For: 203.0.113.8"]
          #expect(try server.send("GET", "/healthz", headers: headers).status == 200)
        }
        let warnings = server.said.components(separatedBy: warning).count - 1
        #expect(warnings == count, "\(server.said)")
      }
    }

    @Test("One address opens 200 connections; this machine and trusted proxies any number")
    func connections() throws {
      let networks = [try #require(IPNetwork("10.0.0.0/8"))]
      let counts = ConnectionsPerAddress(Bounds(), TrustedProxies(networks))
      func open(_ text: String) throws -> Bool {
        let address = try #require(IPAddress(text))
        guard counts.allows(address) else { return false }
        counts.count(1, address)
        return true
      }
      for number in 0..<201 {
        #expect(try open("192.0.2.1") == (number < 200))
        #expect(try open("2001:db8::\(number)") == (number < 200))
        for text in ["127.0.0.1", "::1", "10.1.2.3", "::ffff:10.1.2.3"] {
          #expect(try open(text), "\(text)")
        }
      }
      #expect(try !open("::ffff:192.0.2.1"))
      for text in ["192.0.2.2", "2001:db8:0:1::1"] { #expect(try open(text), "\(text)") }
      counts.count(-1, try #require(IPAddress("192.0.2.1")))
      #expect(try open("192.0.2.1"))
      #expect(try !open("192.0.2.1"))
    }

    @Test("Behind a trusted proxy the requests of each client and of each user are limited")
    func requests() throws {
      let server = try ServeTests.start(
        ["--connections-per-address", "5", "--trusted-proxy", "127.0.0.1"])
      defer { server.remove() }
      var held: [Connection] = []
      /// Opens an event stream, and returns the status of the answer.
      func open(_ user: String, _ address: String) throws -> String {
        let connection = try Connection(server.port)
        connection.send(
          "GET /v1/updates/GetFollowCounts?user=bob HTTP/1.1\r\nHost: x\r\n"
            + "Authorization: Bearer \(Token.of(user))\r\n"
            + (address == "" ? "" : "X-Forwarded-For: \(address)\r\n") + "\r\n")
        held.append(connection)
        let answer = connection.read(until: "\r\n\r\n")
        return String(answer.dropFirst("HTTP/1.1 ".count).prefix(3))
      }
      for number in 0..<5 { #expect(try open("u\(number)", "203.0.113.7") == "200") }
      // The server joins the lines of the header.
      #expect(try open("u5", "198.51.100.7\r\nX-Forwarded-For: 203.0.113.7") == "429")
      #expect(try open("u5", "203.0.113.7") == "429")
      #expect(try open("u5", "203.0.113.8") == "200")
      for number in 0..<5 { #expect(try open("ann", "198.51.100.\(number)") == "200") }
      #expect(try open("ann", "198.51.100.9") == "429")
      #expect(try open("bob", "198.51.100.9") == "200")
      // The proxy's own requests have no such limit, and places become free.
      for _ in 0..<10 { #expect(try open("zed", "") == "200") }
      held = []
      var status = ""
      for _ in 0..<250 where status != "200" {
        usleep(20_000)
        status = try open("u5", "203.0.113.7")
      }
      #expect(status == "200")
    }

    @Test("--trusted-proxy refuses texts that are not networks, and says what it takes")
    func option() throws {
      for text in ["10.0.0.5/8", "proxy.example.org", ""] {
        let error = #expect(throws: ServerProcess.NotReady.self) {
          try ServerProcess(["--trusted-proxy", text])
        }
        #expect(error?.status == 64)
        #expect(error?.said.contains("--trusted-proxy takes an address such as") == true)
      }
    }
  }
#endif
