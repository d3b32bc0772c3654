import Events

/// Random texts: trimmed, not empty, and within every preset's limits.
enum Texts {
  static func displayName(_ random: inout SplitMix64) -> String {
    if random.oneIn(12) { return random.pick(Phrases.oddNames) }
    return random.pick(Phrases.firstNames) + " " + random.pick(Phrases.lastNames)
  }

  /// Returns a bio of at most 280 characters, rarely exactly 280.
  static func bio(_ random: inout SplitMix64) -> String {
    if random.oneIn(400) { return String(repeating: random.pick(Phrases.emoji), count: 280) }
    let text = random.pick(Phrases.bios)
    return random.oneIn(2) ? text : text + " " + random.pick(Phrases.emoji)
  }

  /// Returns a comment of at most 1,000 characters, rarely exactly 1,000.
  static func comment(_ random: inout SplitMix64) -> String {
    switch random.below(16) {
    case 0: return random.pick(Phrases.odd)
    case 1 where random.oneIn(500):
      return String(repeating: random.pick(Phrases.emoji), count: 1_000)
    case 2 where random.oneIn(20): return long(&random)
    case 1..<6: return random.pick(Phrases.cheers)
    case 6..<9: return random.pick(Phrases.cheers) + " " + random.pick(Phrases.emoji)
    default: return random.pick(Phrases.cheers) + " " + random.pick(Phrases.remarks)
    }
  }

  /// Returns a group's name of at most 50 characters.
  static func groupName(_ random: inout SplitMix64) -> String {
    random.pick(Phrases.crews) + " \(1 + random.below(999))"
  }

  static func workout(_ random: inout SplitMix64) -> String {
    if random.oneIn(16) { return random.pick(Phrases.odd) }
    let text = random.pick(Phrases.workouts)
    return random.oneIn(3) ? text + " " + random.pick(Phrases.emoji) : text
  }

  static func session(_ random: inout SplitMix64) -> String {
    random.pick(Phrases.sessions) + " \(1 + random.below(52))"
  }

  static func climb(_ random: inout SplitMix64) -> String {
    random.pick(Phrases.climbs) + " " + random.pick(Phrases.grades)
  }

  /// Returns a text of several paragraphs.
  private static func long(_ random: inout SplitMix64) -> String {
    var text = random.pick(Phrases.remarks)
    for _ in 0..<2 + random.below(6) { text += "\n\n" + random.pick(Phrases.remarks) }
    return text
  }

  static func postcode(_ random: inout SplitMix64) -> String {
    if random.oneIn(6) { return random.pick(Phrases.oddPostcodes) }
    return random.below(100_000).padded(to: 5)
  }

  /// Returns a day from 1980 to 2023 as `YYYY-MM-DD`.
  static func day(_ random: inout SplitMix64) -> String {
    if random.oneIn(30) { return "2000-02-29" }
    let year = 1_980 + random.below(44)
    let (month, day) = (1 + random.below(12), 1 + random.below(28))
    return "\(year)-\(month.padded(to: 2))-\(day.padded(to: 2))"
  }

  /// Returns eight lowercase hexadecimal digits.
  static func hex8(_ random: inout SplitMix64) -> String {
    var text = ByteBuffer(capacity: 64)
    text.appendHex(UInt32(truncatingIfNeeded: random.next()))
    return text.text
  }

  /// Formats tenths of a second as `mm:ss.t`, or as `h:mm:ss.t` from one hour.
  static func duration(_ tenths: Int) -> String {
    var text = ByteBuffer(capacity: 64)
    if tenths >= 36_000 {
      text.append(UInt64(tenths / 36_000))
      text.append(UInt8(ascii: ":"))
    }
    text.appendDigits(UInt64(tenths / 600 % 60), 2)
    text.append(UInt8(ascii: ":"))
    text.appendDigits(UInt64(tenths / 10 % 60), 2)
    text.append(UInt8(ascii: "."))
    text.appendDigits(UInt64(tenths % 10), 1)
    return text.text
  }
}
