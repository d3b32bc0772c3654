// Imports these modules into every file of the command.
@_exported import Synchronization
@_exported import TimeMachine
@_exported import UseCases

#if canImport(Glibc)
  @_exported import Glibc
#elseif canImport(Musl)
  @_exported import Musl
#elseif canImport(Darwin)
  @_exported import Darwin
#endif
