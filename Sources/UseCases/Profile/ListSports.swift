import Aggregates
import Events

/// The sports that a profile can have.
public struct ListSports: Query {
  /// A sport in the list.
  public struct Row: Answer {
    /// The sport's id.
    public var id: String
    /// The sport's name.
    public var name: String
    /// The name of the sport's icon, an SF Symbol.
    public var icon: String

    public static var schema: String? { "SportInfo" }
    public static var placeholder: Row { Row(id: "", name: "", icon: "") }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.required("id", "The sport's id.", &id)
      try fields.required("name", "The sport's name.", &name)
      try fields.required("icon", "The name of the sport's icon, an SF Symbol.", &icon)
    }
  }

  public static let about = About(
    "ListSports", .profile, "List the sports that a profile can have",
    result: "id, name and icon of each")
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public static func answer(
    _ input: NoInput, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> [Row] {
    model.rules.sports.map { Row(id: $0.id, name: $0.name, icon: $0.icon) }
  }
}
