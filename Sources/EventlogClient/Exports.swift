// An app needs one import: `import EventlogClient` brings the use cases that a server answers.
@_exported import PersonalLogs
@_exported import UseCases
