/// The words of a generated history, chosen to test text handling.
///
/// They contain other scripts, right-to-left text, joined emoji and combining marks. They also
/// contain all characters that JSON must escape, except U+0000, which many stores refuse.
enum Phrases {
  /// Types of workouts. A workout has `meters` to `meters + spread - 1` metres; a climbing day has
  /// 0.
  static let workoutKinds: [(name: String, meters: Int, spread: Int)] = [
    ("2000m", 2_000, 1), ("500m", 500, 1), ("5000m", 5_000, 1), ("10000m", 10_000, 1),
    ("21097m", 21_097, 1), ("30:00", 6_500, 2_000), ("60:00", 13_000, 4_000),
    ("3x4:00/3:00r", 2_900, 800), ("4x1000m/5:00r", 4_000, 1), ("8x500m/3:30r", 4_000, 1),
    ("ride", 8_000, 40_000), ("climbing", 0, 1),
  ]

  static let zones = ["UT2", "UT1", "AT", "TR", "AN"]

  static let sports = [
    "ski", "snowboard", "freestyle", "freeride", "touring", "cross-country", "telemark",
    "climbing", "bouldering", "rowing", "cycling", "running",
  ]

  /// Places in units of 1/10,000 degree. The generator moves places with a name by less than 0.2
  /// degrees. It uses the others exactly.
  static let places: [(latitude: Int, longitude: Int, name: String?)] = [
    (451_000, 57_000, "Grenoble"), (458_300, 68_000, "Chamonix-Mont-Blanc"),
    (472_000, 113_000, "Innsbruck"), (598_000, 106_000, "Oslo – Tøyen"),
    (428_000, 1_416_000, "ニセコ町"), (377_000, -1_196_000, "Yosemite \"The Valley\""),
    (-450_500, 1_686_000, "Queenstown, NZ"), (-411_500, -713_500, "San Carlos de Bariloche"),
    (354_500, 511_500, "دربندسر"), (515_000, -2_000, "London"), (432_000, 424_000, "Эльбрус"),
    (900_000, 0, nil), (-900_000, 1_800_000, nil), (0, -1_800_000, nil), (1, -1, nil),
  ]

  static let styles = ["slab", "overhang", "crack", "arête", "powder", "steady state", "sprints"]
  static let boulderScales = ["v", "font", "b", "dankyu"]
  static let routeScales = ["yds", "french", "uiaa", "ewbank", "british"]
  static let gyms = [
    "Espace Vertical", "Boulderwelt München", "The Arch", "B-Pump 荻窪", "Klatreverket",
    "Rock\\Star \"North\"", "Café Kraft", "המפעל", "Leander Club",
  ]
  static let oddPostcodes = ["SW1A 1AA", "K1A 0B1", "〒100-0001", "D-80331", "1010 AB"]

  static let handleStarts = [
    "ana", "ben", "chloe", "dora", "emil", "fay", "goran", "hana", "ivo", "jo", "kai", "lena",
    "mia", "nils", "olga", "pavel", "quinn", "rosa", "sven", "tara", "uma", "vera", "wim", "xu",
    "yuki", "zoe", "send_", "row_", "ski_", "crux",
  ]

  static let firstNames = [
    "Ana", "Ben", "Chloé", "Dóra", "Émile", "Fay", "Göran", "Hana", "Ivo", "João", "Kai", "Léna",
    "Mia", "Nils", "Ольга", "Pavel", "Quinn", "Rosa", "Søren", "Tara", "Ümit", "Vera", "Wim", "徐",
    "ゆき", "Zoë", "محمد", "נועה", "ธนา", "Siobhán",
  ]
  static let lastNames = [
    "Almeida", "Brown", "Côté", "D’Arcy", "Eriksen", "Fischer", "García", "Honnold", "Ivanov",
    "Jansen", "Kovač", "Łukasik", "Müller", "Nakamura", "O'Neill", "Petrović", "Quist", "Rossi",
    "Škoda", "Thorvaldsdóttir", "Ueno", "van der Berg", "Wu", "Øster", "Yıldız", "Žižka", "كريم",
    "לוי", "田中", "김",
  ]
  static let oddNames = [
    "🧗🏽‍♀️ Lynn", "Ana \"La Roca\" Ruiz", "C:\\Users\\Bob", "👨‍👩‍👧‍👦 Les Martin", "🇨🇭 Ueli",
    "Zoe\u{308} (the other one)", "מיכל 🧗", "عبد الله", "李小龙", "Tab\tTabby", "<b>Bold</b> & Co",
    "Noël 𝔊𝔬𝔱𝔥", "null", "한국어 이름", "Ångström-Núñez",
  ]

  static let emoji = [
    "💪", "🔥", "🎉", "👏🏿", "🧗🏽‍♀️", "👨‍👩‍👧‍👦", "🇨🇭", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "❤️", "🏂", "🚣🏻‍♂️", "1️⃣", "🫶🏼", "😀",
  ]

  static let bios = [
    "Climbs when it rains, rows when it doesn't.", "Weekend warrior.",
    "Früher Läufer, heute Kletterer – immer müde.", "Coach at \"Rock & Row\"; ask me anything.",
    "Grimpe, ski de rando et café.", "山が好きです。週末はだいたいボルダリング。",
    "متسلق جبال منذ ٢٠١٥", "מטפסת, חותרת, ישנה", "One line,\nthen another,\nthen a third.",
    "Skis\u{2028}and boards", "path\\to\\summit", "🇳🇴🇸🇪🇫🇮 Nordic by nature",
    "Projecting my first 8a since forever. If you see me at the crag, remind me to breathe, to "
      + "trust my feet, and to stop talking about the one time I nearly had it.",
  ]

  static let crews = [
    "Tuesday crew", "Early birds", "Slab lovers", "Boathouse", "Powder hounds", "Lunch laps",
    "Frühaufsteher", "Équipe du soir", "水曜クライミング", "Late shift 🌙", "Century club", "Rookies",
  ]
  static let cheers = [
    "Nice!", "Strong work!", "Well rowed!", "Allez !", "Bravo, quelle forme !", "Super gemacht!",
    "Beast mode", "Legend", "So close to sub-7", "Respect.", "¡Qué máquina!", "Jakie tempo!",
    "すごい！", "太强了！", "대단해요!", "أحسنت!", "כל הכבוד!", "Молодец!", "That split though", "Venga!",
    "Kudos", "PB?", "Keep it up", "New shoes?", "Hell yes", "Brutal set", "Smooth", "Wow",
  ]
  static let remarks = [
    "What was the rate?", "Same time next week?", "Your \"easy\" day is my race pace.",
    "I still feel Sunday's session.", "Looks like the new training plan works.",
    "Save some for regionals…", "Weather held up, too!", "La prochaine fois, je viens avec vous.",
    "Wie war der Schnee oben?", "次は一緒に行きましょう。", "See you at 6:00 – don't be late :)",
    "The crux is all in the left foot; keep the hip close to the wall and it goes.",
    "Did the monitor really say 1:45.2?", "هل نلتقي غدًا؟", "נתראה מחר",
    "50% more than last month!",
    "Log it as C:\\rowing\\best, will you?", "Proud of you, truly.",
  ]

  /// Texts that test escaping, counting, trimming and truncation.
  static let odd = [
    "Line one\nline two\r\nline three", "tab\there, tab\tthere", "She said \"send it\" and I did",
    "back\\slash and \\\"both\\\"", "sep\u{2028}arated\u{2029}twice",
    "bell \u{7}, escape \u{1b}[31mred\u{1b}[0m, unit \u{1f}.", "form\u{c}feed and back\u{8}space",
    "\u{1}\u{2}\u{3} low bytes \u{7f}\u{80}\u{9f} end", "👨‍👩‍👧‍👦👩‍👩‍👦🏳️‍🌈🏴‍☠️", "🇺🇳🇪🇺🇧🇷🇯🇵",
    "e\u{301}e\u{301}e\u{301} is not ééé", "Z̴̧͎̾a̷͕̍l̵̰͝g̶͉̎o̸̤͗ was here", "שלום world مرحبا",
    "\u{202e}backwards\u{202c} again", "zero\u{200b}width\u{200d}joined",
    "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 beyond the BMP 𠮷野家",
    "{\"type\":\"UserFollowed\",\"seq\":1}", "'; DROP TABLE workouts; --",
    "<script>alert(1)</script>",
    "no-break\u{a0}space and ideographic\u{3000}space", "ﬀ ligature, ß and İstanbul", "a/b\\/c",
    "%s %d %@ $HOME `date` ${x}", "-0 1e999 NaN null true", "ends with a joiner \u{200d}!",
    "\u{e000} and \u{10fffd} are private", "👍🏻👍🏼👍🏽👍🏾👍🏿",
  ]

  static let workouts = [
    "Morning row before work", "Legs gone after 1500 m", "Steady state with the crew",
    "First session back after injury", "Fresh powder, 30 cm!", "Sent the project on go #14",
    "Windy\nbut worth it", "Sortie longue au bord du lac", "Wintertraining, Woche 3",
    "朝練", "تمرين الصباح", "אימון בוקר", "Negative splits all the way down",
    "Coach said \"easy\", erg said no", "Rest day? What rest day?",
    "Technique: catch, drive, finish",
  ]
  static let sessions = [
    "Week", "Block A, day", "Winter \"base\" week", "Séance", "第", "Pete\\Beginner", "Cycle",
  ]
  static let climbs = [
    "Midnight Lightning", "La Marie-Rose", "Action Directe", "The Nose", "Biographie / Realization",
    "Burden of Dreams", "Karma", "El Capitán, Freerider", "Der mit dem Fels tanzt", "二子山 任侠道",
    "Separate \"Reality\"", "Moonlight Buttress", "L’Alchimiste", "Big Paw", "Astroman",
  ]
  static let grades = ["V3", "V8", "6A", "6b+", "7c", "8a", "9a", "5.10d", "5.13a", "VIII−", "E5"]
}
