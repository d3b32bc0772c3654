import Aggregates
import UseCases

extension Generator where Value == CreateProfile.Input {
  /// A new user: an id, a handle that the rules allow, and perhaps a display name.
  public static func user(_ rules: Rules = .climb) -> Self {
    Self { t in
      let name = Generator<String>.text(1...20).filter { text in
        text.count <= rules.displayNameLimit && Rules.isName(trimmed(text))
      }
      return CreateProfile.Input(
        user: t.draw(.id), handle: t.draw(.handle(rules)),
        displayName: t.draw(rules.displayNameRequired ? name.map { $0 } : .optional(name)),
        isPublic: t.draw(.bool))
    }
  }
}
