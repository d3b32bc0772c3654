import Testing

@testable import eventlog_cli

/// The addresses of mirrors.
@Suite struct MirrorAddressTests {
  @Test("An address is a file, or a database and a schema that libpq does not see")
  func parses() throws {
    let addresses: [(String, MirrorAddress)] = [
      ("sqlite:my.db", .sqlite("my.db")), ("sqlite:/tmp/a b.db", .sqlite("/tmp/a b.db")),
      ("sqlite:///tmp/x.db", .sqlite("///tmp/x.db")),
      ("postgresql://u@h/d", .postgresql("postgresql://u@h/d", schema: "public")),
      ("postgres://h/d?schema=s_1", .postgresql("postgres://h/d", schema: "s_1")),
      (
        "postgresql://h/d?sslmode=require&schema=s&user=u",
        .postgresql("postgresql://h/d?sslmode=require&user=u", schema: "s")
      ),
    ]
    for (text, address) in addresses { #expect(try MirrorAddress(text) == address, "\(text)") }
    #expect(
      try MirrorAddress("postgresql://u:secret@h/d?schema=s").name
        == "postgresql://u:***@h/d?schema=s")
  }

  @Test(
    "Another address is an error that says what to write",
    arguments: [
      ("my.db", "give sqlite:FILE"), ("mysql://h/d", "postgresql://user@host"),
      ("sqlite:", "sqlite:my.db"), ("sqlite://my.db", "sqlite:my.db"),
      ("postgresql://h/d#s", "?schema=NAME"), ("postgresql://h/d?schema=S", "small letters"),
      ("postgresql://h/d?schema=", "small letters"), ("postgresql://h/d?schema=1a", "digit"),
      ("postgresql://h/d?schema=a&schema=b", "more than one"),
      ("postgresql://h/d?schema=a%20b", "small letters"),
    ])
  func refuses(text: String, part: String) {
    let fault = #expect(throws: MirrorAddress.Fault.self) { try MirrorAddress(text) }
    #expect(fault?.description.contains(part) == true, "\(String(describing: fault))")
  }
}
