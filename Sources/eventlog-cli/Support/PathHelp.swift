/// The part of a command's help that explains PATH.
let pathHelp =
  "A PATH begins with one of "
  + Catalogue.standard.kinds.map { $0.form }.joined(separator: ", ")
  + "; a list also has .count. 'eventlog paths --help' explains them. The ids in a PATH must occur "
  + "in the log, at any revision."

/// The kinds of paths to pieces of state, one per line.
let pathKinds: String = {
  let kinds = Catalogue.standard.kinds
  let width = kinds.map { $0.form.count }.max() ?? 0
  return kinds.map { kind in
    "  " + kind.form + String(repeating: " ", count: width - kind.form.count + 2) + kind.summary
  }.joined(separator: "\n")
}()

extension StatePath.Kind {
  /// The form of the paths of this kind, such as `profile/USER.MEMBER`.
  fileprivate var form: String {
    let hasRoot = root != nil || members.isEmpty
    return "\(name)/\(idNames.joined(separator: "/"))\(hasRoot ? "" : ".MEMBER")"
  }
}

/// The part of a command's help that explains EXPR.
let expressionHelp = """
  An EXPR is a condition that is true or false at each revision. It compares the pieces of state \
  that PATHs name ('eventlog paths --help') with numbers, texts, true, false and none, by ==, !=, \
  <, <=, >, >= and contains, joined by and, or, not and parentheses. A missing value is none:

    followers/lena.count > 5 and profile/lena.isPublic
    relationship/alice/bob == friends
    chups/w-bob-1 contains erin
    not (profile/lena.bio == none or profile/lena.bio contains "ski")
  """
