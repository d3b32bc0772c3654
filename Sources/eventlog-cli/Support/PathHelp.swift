import Projections

/// The help on a PATH.
let pathHelp =
  "A PATH begins with one of "
  + Catalogue.standard.kinds.map { kind in
    let members = kind.members.isEmpty || kind == .chups ? "" : ".MEMBER"
    return "\(kind.name)/\(kind.idNames.joined(separator: "/"))\(members)"
  }.joined(separator: ", ")
  + "; a list has .count, too. 'eventlog paths --help' says what they are. Who or what it names "
  + "has to be in the log, at whatever revision."

/// The help on an EXPR.
let expressionHelp = """
  An EXPR is a condition that is true or false at each revision. It compares the pieces of state \
  that PATHs name ('eventlog paths --help') with numbers, texts, true, false and none, by ==, !=, \
  <, <=, >, >= and contains, joined by and, or, not and parentheses. What is not there is none:

    followers/lena.count > 5 and profile/lena.isPublic
    relationship/alice/bob == friends
    chups/w-bob-1 contains erin
    not (profile/lena.bio == none or profile/lena.bio contains "ski")
  """
