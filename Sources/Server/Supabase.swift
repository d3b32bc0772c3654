import Events

/// The parts of Supabase's interface that a server offers, so that Supabase's client libraries can
/// use the server. docs/supabase.md lists what each part can do.
public struct Supabase: Sendable {
  /// Whether `/rest/v1` answers: tables, for `postgrest`.
  public var hasTables = true
  /// Whether all of `/storage/v1` answers: buckets, for `storage3`.
  public var hasStorage = true
  /// The value that the header `apikey` must have; nil accepts every value. It is public, and
  /// identifies nobody: as a token, it means that nobody is signed in.
  public var apiKey: String?

  /// Offers all parts, and accepts every `apikey`.
  public init() {}
}
