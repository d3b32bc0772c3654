import Foundation
import Projections
import Testing

@Suite struct FoldingTests {
  private func fold(_ text: String) -> String {
    String(decoding: Folding.fold(text), as: UTF8.self)
  }

  @Test(
    "Folding ignores case and diacritics",
    arguments: [
      ("Anna_Lind99", "anna_lind99"), ("Åse Bjørnstad", "ase bjornstad"), ("ŁÓDŹ", "lodz"),
      ("Đặng Thị Ngọc", "dang thi ngoc"), ("Straße", "strasse"), ("GROẞ", "gross"),
      ("İzmir", "izmir"), ("Ilgaz ılgaz", "ilgaz ilgaz"), ("Þór", "thor"),
      ("Ærøskøbing", "aeroskobing"),
      ("Œuvre", "oeuvre"), ("ΣΊΣΥΦΟΣ", "σισυφοσ"), ("Сергей Ёлкин", "сергеи елкин"),
      ("O’Brien", "o'brien"), ("ﬁnn", "finn"), ("Ħal Għargħur", "hal gharghur"), ("北京", "北京"),
      ("🧗🏽 up", "🧗🏽 up"), ("", ""),
    ])
  func plain(text: String, folded: String) { #expect(fold(text) == folded) }

  @Test("Composed and decomposed letters fold to the same bytes, Hangul too")
  func equivalent() {
    #expect(Folding.fold("é한글が") == Folding.fold("e\u{301}\u{1112}\u{1161}\u{11ab}글か\u{3099}"))
    #expect(Folding.fold("한").starts(with: Folding.fold("하")))
    #expect(Folding.fold("\u{212b}") == Array("a".utf8))
  }

  @Test("Folding equals Python's Unicode data, and folding again changes nothing")
  func golden() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Golden/folding.txt")
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    #expect(lines.count > 1_500)
    for line in lines {
      let sides = line.split(separator: ">", omittingEmptySubsequences: false).map(text)
      let folded = Folding.fold(sides[0])
      #expect(folded == Array(sides[1].utf8), "\(line)")
      #expect(Folding.fold(String(decoding: folded, as: UTF8.self)) == folded, "\(line)")
    }
  }

  /// The text of hexadecimal scalars, `41.30a`.
  private func text(_ scalars: Substring) -> String {
    var text = ""
    for scalar in scalars.split(separator: ".").compactMap({ UInt32($0, radix: 16) }) {
      text.unicodeScalars.append(Unicode.Scalar(scalar)!)
    }
    return text
  }

  @Test("Folding every scalar twice gives the same as folding once")
  func idempotent() {
    for number in UInt32(0)...0x2ffff {
      guard let scalar = Unicode.Scalar(number) else { continue }
      let folded = Folding.fold(String(Character(scalar)))
      if Folding.fold(String(decoding: folded, as: UTF8.self)) != folded {
        Issue.record("\(number)")
      }
    }
  }
}
