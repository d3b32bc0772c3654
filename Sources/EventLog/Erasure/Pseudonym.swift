import Events

/// Names that say nothing, in place of those of people who are forgotten: `gone_` and fifteen
/// random letters and digits, which every preset of rules takes for a handle and which may be any
/// id.
enum Pseudonym {
  private static let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")

  /// - Parameter random: 128 random bits; 77 of them count, so that two are never the same.
  static func make(_ random: (UInt64, UInt64)) -> String {
    var text = "gone_"
    for half in [random.0, random.1] {
      var rest = half
      for _ in 0..<(text.utf8.count < 10 ? 8 : 7) {
        text.append(letters[Int(rest % 36)])
        rest /= 36
      }
    }
    return text
  }
}
