import Events

/// Meaningless names that replace erased people's ids and handles. A name is `gone_` and fifteen
/// random letters and digits. It is a valid id, and a valid handle under every preset of rules.
enum Pseudonym {
  private static let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")

  /// Returns a new name.
  /// - Parameter random: 128 random bits; about 77 of them are used, so that two names do not
  ///   collide.
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
