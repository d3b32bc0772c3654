/// A type whose value is one of a few words in JSON.
protocol WireWord: WireValue, CaseIterable, RawRepresentable<String> {
  static var expected: StaticText { get }
}

extension WireWord {
  init(_ node: Int, in reader: TapeReader, _ path: () -> String) throws(LineFault) {
    guard let value = Self(rawValue: try String(node, in: reader, path)) else {
      throw reader.fault(.wrongType(expected: Self.expected), node, path)
    }
    self = value
  }
  static func fast(_ reader: inout FastReader) -> Self? {
    reader.string().flatMap(Self.init)
  }
  func write(to writer: inout JSONWriter) { rawValue.write(to: &writer) }
}

extension RiderType: WireWord {
  static var schema: StaticString { "rider, mentor or both" }
  static var expected: StaticText { "'rider', 'mentor' or 'both'" }
}

extension SkillLevel: WireWord {
  static var schema: StaticString { "beginner, intermediate, advanced or expert" }
  static var expected: StaticText { "'beginner', 'intermediate', 'advanced' or 'expert'" }
}

extension Audience: WireWord {
  static var schema: StaticString { "private, friends, followers or public" }
  static var expected: StaticText { "'private', 'friends', 'followers' or 'public'" }
  @inline(__always)
  static func fast(_ reader: inout FastReader) -> Audience? {
    if reader.skip("\"friends\"") { return .friends }
    if reader.skip("\"followers\"") { return .followers }
    if reader.skip("\"public\"") { return .public }
    return reader.skip("\"private\"") ? .private : nil
  }
}

extension ReactionKind: WireWord {
  static var schema: StaticString { "fire, strong, clap, wow or laugh" }
  static var expected: StaticText { "'fire', 'strong', 'clap', 'wow' or 'laugh'" }
  @inline(__always)
  static func fast(_ reader: inout FastReader) -> ReactionKind? {
    if reader.skip("\"fire\"") { return .fire }
    if reader.skip("\"strong\"") { return .strong }
    if reader.skip("\"clap\"") { return .clap }
    if reader.skip("\"wow\"") { return .wow }
    return reader.skip("\"laugh\"") ? .laugh : nil
  }
}

extension MemberRole: WireWord {
  static var schema: StaticString { "admin or member" }
  static var expected: StaticText { "'admin' or 'member'" }
}

extension ReportedContent.Kind: WireWord {
  static var schema: StaticString { "profile, workout, comment, message or group" }
  static var expected: StaticText { "'profile', 'workout', 'comment', 'message' or 'group'" }
}

extension ReportOutcome: WireWord {
  static var schema: StaticString { "kept or removed" }
  static var expected: StaticText { "'kept' or 'removed'" }
}
