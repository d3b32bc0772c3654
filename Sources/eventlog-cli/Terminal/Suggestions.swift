/// Returns the candidate that a mistyped word probably means, or nil. Ignores leading dashes and
/// case. Of equally similar candidates, returns the first.
func suggestion(for word: String, among candidates: [String]) -> String? {
  let word = letters(word)
  guard !word.isEmpty, word.count <= 64 else { return nil }
  var best: (name: String, distance: Int)?
  for candidate in candidates {
    let name = letters(candidate)
    guard !name.isEmpty, name.count <= 64 else { continue }
    let distance = editDistance(word, name)
    let isTypo = distance <= max(1, min(word.count, name.count) / 3) && distance < name.count
    let isPrefix = word.count >= 2 && name.starts(with: word)
    guard isTypo || isPrefix else { continue }
    if best.map({ distance < $0.distance }) ?? true { best = (candidate, distance) }
  }
  return best?.name
}

/// Returns ` Did you mean 'x'?`, for use after a sentence, or `; did you mean 'x'?` for use within
/// one. Returns an empty text if there is no suggestion.
func didYouMean(_ word: String, _ candidates: [String], inSentence: Bool = false) -> String {
  let start = inSentence ? "; did" : " Did"
  return suggestion(for: word, among: candidates).map { "\(start) you mean '\($0)'?" } ?? ""
}

private func letters(_ word: String) -> [Unicode.Scalar] {
  Array(word.lowercased().drop { $0 == "-" }.unicodeScalars)
}

/// Returns the restricted Damerau–Levenshtein distance: the number of insertions, deletions,
/// substitutions and swaps of neighbours that turn one word into the other.
///
/// - Complexity: O(*n* · *m*).
private func editDistance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
  var beforeLast: [Int] = []
  var last = Array(0...b.count)
  for i in a.indices {
    var row = [i + 1]
    for j in b.indices {
      let substituted = last[j] + (a[i] == b[j] ? 0 : 1)
      var distance = min(last[j + 1] + 1, row[j] + 1, substituted)
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
        distance = min(distance, beforeLast[j - 1] + 1)
      }
      row.append(distance)
    }
    (beforeLast, last) = (last, row)
  }
  return last[b.count]
}
