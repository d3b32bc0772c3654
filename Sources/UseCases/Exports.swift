// An app needs only `import UseCases`, because this module re-exports the modules below.
@_exported import Aggregates
@_exported import EventLog
@_exported import Events
@_exported import Projections
@_exported import Replaying
