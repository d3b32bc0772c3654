// Makes these modules available in every file of this target.
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
