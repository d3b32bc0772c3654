import Events
import UseCases

/// A command that changes a state to its opposite, such as `ToggleFollow`.
///
/// It answers whether the state now is on. Another state may change meanwhile, so a phone sends
/// `On` or `Off` when it performs the command later (`OfflineStore`).
public protocol Toggle: Command where Output == Bool {
  /// The command that changes the state to on, with the same input.
  associatedtype On: Command where On.Input == Input
  /// The command that changes the state to off, with the same input.
  associatedtype Off: Command where Off.Input == Input
}

extension ToggleFollow: Toggle {
  public typealias On = FollowUser
  public typealias Off = UnfollowUser
}

extension ToggleChup: Toggle {
  public typealias On = GiveChup
  public typealias Off = WithdrawChup
}

extension ToggleCommentHeart: Toggle {
  public typealias On = HeartComment
  public typealias Off = UnheartComment
}

extension Toggle {
  /// The name of the command that leads to a state.
  static func name(leadingTo isOn: Bool) -> String { isOn ? On.about.name : Off.about.name }

  /// The answer of the command that leads to a state.
  static func answer(leadingTo isOn: Bool) -> JSONValue {
    (isOn ? On.Output.kind : Off.Output.kind) == .nothing ? .null : .bool(isOn)
  }
}
