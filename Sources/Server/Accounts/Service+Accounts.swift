import Events

// The addresses below `/auth/v1`.
extension Service {
  var servesAccounts: Bool {
    #if Server
      options.accounts != nil
    #else
      false
    #endif
  }

  func answer(
    _ call: AccountCall, _ request: Admitted, _ body: [UInt8],
    _ respond: @escaping @Sendable (Response) -> Void
  ) {
    #if Server
      guard let accounts = options.accounts else { return }
      let request = Accounts.Request(
        call: call, head: request.head, target: request.target, body: body)
      accounts.answer(request, respond)
    #endif
  }

  /// Removes the accounts of erased people.
  func removeAccounts(of people: [String]) {
    #if Server
      options.accounts?.remove(people)
    #endif
  }
}
