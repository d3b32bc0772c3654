import Events

/// A history with a folder for the checkpoints of projections.
///
/// A replay of such a history starts from the last checkpoint that fits; a replay of any other
/// history starts from its first event.
public protocol CheckpointedHistory: History {
  /// The folder; nil if this history keeps no checkpoints, because it is read from a stream.
  var checkpoints: Checkpoints? { get }
}
