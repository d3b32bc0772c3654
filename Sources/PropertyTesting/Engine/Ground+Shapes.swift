extension Ground {
  /// Returns the hash of a value's shape. Values have the same shape if they differ only in exact
  /// numbers, in the elements of collections, and in texts with digits.
  ///
  /// The shape has the cases of enums, `Bool`s, short texts without digits, the number of bits of
  /// integers and of collections' counts, and the shapes of a dictionary's values.
  /// - Parameter depth: the number of levels of members to read.
  static func shape(of value: Any, depth: Int = 3) -> UInt64 {
    switch value {
    case let flag as Bool: return flag ? 3 : 2
    case let number as any BinaryInteger: return hash(4, bucket(of: number))
    case let text as String: return shape(of: text)
    default: break
    }
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .enum:
      guard let child = mirror.children.first else { return hash(5, hash("\(value)")) }
      let inner = depth > 0 ? shape(of: child.value, depth: depth - 1) : 0
      return hash(6, hash(child.label ?? ""), inner)
    case .optional:
      guard let child = mirror.children.first else { return 7 }
      return hash(8, shape(of: child.value, depth: depth))
    case .collection, .set: return hash(9, bucket(mirror.children.count))
    case .dictionary: return shape(ofDictionary: mirror, depth: depth)
    case .struct, .tuple:
      if let elements = value as? any RandomAccessCollection {
        return hash(9, bucket(elements.count))
      }
      if depth == 0 { return 10 }
      return mirror.children.reduce(11) { hash($0, shape(of: $1.value, depth: depth - 1)) }
    default: return 12
    }
  }

  private static func bucket(of number: some BinaryInteger) -> UInt64 { bucket(number) }

  private static func shape(of text: String) -> UInt64 {
    let isWord = text.utf8.count <= 40 && !text.utf8.contains { (0x30...0x39).contains($0) }
    return isWord ? hash(13, hash(text)) : hash(14, bucket(text.utf8.count))
  }

  /// The order of a dictionary's members is random, so the hash does not depend on it.
  private static func shape(ofDictionary mirror: Mirror, depth: Int) -> UInt64 {
    var shapes: Set<UInt64> = []
    if depth > 0, mirror.children.count <= 16 {
      for child in mirror.children {
        guard let member = Mirror(reflecting: child.value).children.dropFirst().first else {
          continue
        }
        shapes.insert(shape(of: member.value, depth: depth - 1))
      }
    }
    return hash(15, bucket(mirror.children.count), shapes.reduce(0, &+))
  }
}
