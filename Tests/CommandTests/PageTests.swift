import FaultTesting
import Foundation
import Testing

/// `eventlog page`; `Tests/TimeMachine/run` tests the page's content in a browser.
@Suite struct PageTests {
  @Test(
    "page writes a whole log, a part, standard input, damaged lines, and a finding")
  func pages() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let result = try shell.run(
      """
      eventlog page --out a.html && eventlog page 10..40 --at 20 --out b.html
      eventlog page --out - < /dev/null > c.html
      eventlog export | eventlog page --log - --out d.html
      eventlog export | sed '5s/actor/actxr/' > bad.jsonl
      eventlog page --log bad.jsonl --out e.html
      eventlog import eventlogs/mysteries/contact-sync.jsonl --log none
      eventlog check --log eventlogs/mysteries/lost-friendship --page f.html > /dev/null
      cmp a.html c.html && echo the same; ls *.html | wc -l
      grep -o '"revision":[0-9]*' b.html f.html
      """)
    #expect(result.output.contains("the same\n6\n"), "\(result)")
    #expect(result.output.contains("b.html:\"revision\":20\nf.html:\"revision\":54"), "\(result)")
    #expect(result.error.contains("note: bad.jsonl, line 5 "), "\(result)")
  }

  @Test("page reports a missing file, a revision beyond the end, and unknown paths and folders")
  func refusals() throws {
    let shell = try Shell()
    defer { shell.remove() }
    for (words, code, said): (String, Int32, String) in [
      ("page", 64, "--out FILE.html"), ("page --out a.html ..999", 64, "beyond HEAD"),
      ("page --out a.html 40..10", 64, "the range is empty"),
      ("page --out a.html ..10 --at 20", 64, "--at 20 is after 10"),
      ("page --out a.html --watch 'followers/x.cout'", 64, "no member 'cout'"),
      ("page --out no/such/a.html", 73, "there is no folder no/such; create it first"),
      ("page --out a.html --log nowhere", 66, "no such log"),
      ("page --out a.html --rules clmb", 64, "did you mean 'climb'?"),
    ] {
      let result = try shell.run("eventlog \(words)")
      #expect(result.code == code && result.error.contains(said), "\(words): \(result)")
    }
  }
}
