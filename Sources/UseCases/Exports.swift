// An app needs one import: `import UseCases` brings the events, the log and the answers.
@_exported import Aggregates
@_exported import EventLog
@_exported import Events
@_exported import Projections
@_exported import Replaying
