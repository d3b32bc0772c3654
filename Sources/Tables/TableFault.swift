import UseCases

/// The reason why a query of tables is refused, in PostgREST's terms.
package struct TableFault: Error, Equatable, Sendable {
  /// PostgREST's or PostgreSQL's code, such as `PGRST100` or `42703`.
  package var code: String
  /// A sentence for the client.
  package var message: String
  /// More about the fault; nil if there is nothing to say.
  package var details: String?
  /// Advice; nil without any.
  package var hint: String?

  /// Creates a fault.
  package init(_ code: String, _ message: String, details: String? = nil, hint: String? = nil) {
    (self.code, self.message, self.details, self.hint) = (code, message, details, hint)
  }
}
