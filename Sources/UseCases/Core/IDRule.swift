/// The rule for ids, for messages.
let idRule =
  "an id is 1 to 128 printable ASCII characters without space, \", \\ and /, and not . or .."
