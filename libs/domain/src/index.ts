export { abortWith, type AbortLink } from './abort-after';
export {
  agoBy,
  Clock,
  isOver,
  longestSince,
  momentOf,
  SharedClock,
  SystemClock,
  TimeOfDay,
  timeOfDay,
  type Moment,
} from './clock';
export { Outage, type Say } from './outage';
export { Durations } from './metrics/durations';
export { METRICS } from './metrics/metric-catalogue';
export { type Metric, type MetricApp } from './metrics/metric';
export { byLabel, Metrics, type Reading, type Sample } from './metrics/metrics';
export { Tally } from './metrics/tally';
export { RunMeters } from './runs/run-meters';
export { AuthenticationError } from './errors/authentication.error';
export { AuthorizationError } from './errors/authorization.error';
export { DomainError } from './errors/domain-error';
export { EntityExistsError } from './errors/entity-exists.error';
export { EntityNotFoundError, type EntityType } from './errors/entity-not-found.error';
export { FlowDisabledError } from './errors/flow-disabled.error';
export { FlowInUseError } from './errors/flow-in-use.error';
export { FlowNotEnabledError } from './errors/flow-not-enabled.error';
export { FlowRunDataExpiredError } from './errors/flow-run-data-expired.error';
export { FlowRunDataUnreadableError } from './errors/flow-run-data-unreadable.error';
export { FlowRunFailedError } from './errors/flow-run-failed.error';
export { FlowRunNotPausedError } from './errors/flow-run-not-paused.error';
export { FlowRunNotRetryableError } from './errors/flow-run-not-retryable.error';
export { FlowOperationInvalidError } from './errors/flow-operation-invalid.error';
export { FlowVersionInvalidError } from './errors/flow-version-invalid.error';
export { IdempotencyInProgressError } from './errors/idempotency-in-progress.error';
export { IdempotencyKeyReusedError } from './errors/idempotency-key-reused.error';
export { InvalidApiKeyError } from './errors/invalid-api-key.error';
export { InvalidBearerTokenError } from './errors/invalid-bearer-token.error';
export { InvalidCredentialsError } from './errors/invalid-credentials.error';
export { InvalidRequestError } from './errors/invalid-request.error';
export { InvalidWebhookSignatureError } from './errors/invalid-webhook-signature.error';
export { PayloadTooLargeError } from './errors/payload-too-large.error';
export { ForeignOriginError } from './errors/foreign-origin.error';
export { JobNotFailedError } from './errors/job-not-failed.error';
export { shownId } from './errors/shown-id';
export { LastAdministratorError } from './errors/last-administrator.error';
export { SignUpDisabledError } from './errors/sign-up-disabled.error';
export { PermissionDeniedError } from './errors/permission-denied.error';
export { PreconditionFailedError } from './errors/precondition-failed.error';
export { QuotaExceededError } from './errors/quota-exceeded.error';
export { RunTooDeepError } from './errors/run-too-deep.error';
export { rateLimitHeaders, RateLimitedError } from './errors/rate-limited.error';
export { RunAnswerTimeoutError } from './errors/run-answer-timeout.error';
export { ServiceUnavailableError } from './errors/service-unavailable.error';
export { TriggerInUseError } from './errors/trigger-in-use.error';
export { PieceInUseError } from './errors/piece-in-use.error';
export { PieceIntegrityError } from './errors/piece-integrity.error';
export { PieceNotInstalledError } from './errors/piece-not-installed.error';
export { TriggerTestFailedError } from './errors/trigger-test-failed.error';
export { TriggerRegistrationError } from './errors/trigger-registration.error';
export { UnsupportedMediaTypeError } from './errors/unsupported-media-type.error';
export {
  stepsOf,
  type FlowVersionState,
  type FlowVersion,
  type FlowVersionSummary,
  type Publication,
  type VersionContents,
  type FlowTrigger,
  type CodeAction,
  type PieceAction,
  type LoopAction,
  type BranchOperator,
  type BranchCondition,
  type RouterBranch,
  type RouterAction,
  type FlowAction,
  type FlowStep,
  type SampleDataMarks,
} from './flows/flow-version';
export { StepFiles, type FileInHand, type FileRoom, type WritingStep } from './files/step-files';
export { FileLinks, type FileLink, type FileView } from './files/file-links';
export { FileStore, type FileContent, type FileProjects, type OpenedFile } from './files/file-store';
export { RunLogs, runLogLines, type RunLog } from './files/run-log';
export {
  FILE_TYPES,
  MAX_FILE_BYTES,
  MAX_FILE_NAME_LENGTH,
  MAX_FILES_DELETED,
  receivedFile,
  uploadedFile,
  type FileType,
  type NewFile,
  type StoredFile,
} from './files/stored-file';
export { BRANCH_OPERATORS, isBranchOperator } from './flows/branch-operators';
export { evaluateBranches, evaluateGroups } from './flows/branch-conditions';
export { filterProblems, passesFilter } from './named-events/event-filter';
export {
  eventOutput,
  MAX_EVENT_ID_LENGTH,
  MAX_EVENT_NAME_LENGTH,
  NamedEvents,
  type EventSource,
  type NamedEvent,
} from './named-events/named-event';
export { parsePath, PATH_PATTERN, readPath, type MemberPath, type PathKeys } from './json/member-path';
export { bundleOnce } from './flows/bundle-once';
export { CodeBundleStore, type StoredCodeBundle } from './flows/code-bundle.store';
export { codeSourceHash } from './flows/code-source-hash';
export { DISPLAY_NAME, MAX_DISPLAY_NAME_LENGTH } from './flows/display-name';
export { exportTemplate } from './flows/export-template';
export { parseDefinition } from './flows/import/read-definition';
export { differingPaths } from './flows/json-difference';
export { isJsonObject, JsonReader, pointer, RequestProblems } from './json/json-reader';
export { schemaRef, type JsonSchema } from './json/json-schema';
export {
  oneOf,
  optional,
  shapeOf,
  text,
  worded,
  type Member,
  type RequestShape,
  type ValueOf,
} from './json/request-shape';
export { newFlow, type FlowRequest } from './flows/new-flow';
export {
  parseFlowOperation,
  permissionOfOperation,
  flowOperationRequest,
  FLOW_OPERATION_TYPES,
  type FlowOperationType,
  type OperationContext,
} from './flows/operations/flow-operation';
export { MAX_METADATA_BYTES } from './flows/operations/update-metadata';
export {
  agentsUsedBy,
  connectionsNamedIn,
  connectionsOfExpression,
  connectionsUsedBy,
  unknownConnections,
} from './flows/flow-references';
export { diffVersions, type PlaceInVersion, type VersionDiff } from './flows/version-diff';
export { checkVersion, type CheckedVersion, type VersionProblem } from './flows/version-validity';
export {
  FlowRepository,
  FlowChanges,
  type FlowAgreement,
  type FlowChange,
  type FlowDecision,
  type FlowFilter,
  type FlowSurroundings,
  type ListeningTrigger,
} from './flows/flow.repository';
export { FolderRepository, type Folder } from './flows/folder';
export type { FlowNote } from './flows/flow-note';
export {
  FlowTemplateRepository,
  type FlowDefinition,
  type FlowTemplate,
  type FlowTemplateSummary,
  type TemplateExport,
} from './flows/flow-template';
export {
  SAMPLE_DATA_TYPES,
  SampleDataReader,
  SampleDataWriter,
  SampleOutputs,
  type ListedSample,
  type SampleData,
  type SampleDataChange,
  type SampleDataEntry,
  type SampleDataType,
} from './flows/sample-data';
export { withMarks } from './flows/sample-data-marks';
export { contentsOf } from './flows/version-contents';
export { samplesOfRun, type RunSample } from './flows/samples-of-run';
export { stepNamed } from './flows/step-tree';
export {
  listenAlike,
  liveTrigger,
  publishedAfter,
  registerAllOrNothing,
  triggerChanges,
  type TriggerChanges,
} from './flows/trigger-changes';
export { TriggerRegistry, type LiveTrigger } from './flows/trigger-registry';
export {
  FlowVersionReader,
  startsByForm,
  takesWebhooks,
  type DraftFlow,
  type PublishedFlow,
  type TriggeredFlow,
} from './flows/flow-version.reader';
export { ProjectFlows, type FlowOfProject } from './flows/project-flows';
export { FLOW_STATUSES, type FlowStatus } from './flow-status';
export {
  OPERATION_STATUSES,
  type Flow,
  type FlowSummary,
  type OperationStatus,
  type PopulatedFlow,
} from './flows/flow';
export {
  IdempotencyRecords,
  type IdempotencyClaim,
  type IdempotentRequest,
  type KeptAnswer,
} from './idempotency/idempotency-records';
export {
  AUDIT_ACTIONS,
  AuditLog,
  type AuditAction,
  type AuditActor,
  type AuditEvent,
  type AuditFilter,
  type AuditTargetType,
  type ConnectionUsage,
  type NewAuditEvent,
} from './audit/audit-event';
export { ConnectionUses } from './audit/connection-uses';
export { actingAs, currentActor } from './audit/current-actor';
export {
  CONNECTION_STATUSES,
  CONNECTION_TYPES,
  ConnectionRepository,
  ConnectionValues,
  readAs,
  type Connection,
  type ConnectionFilter,
  type ConnectionStatus,
  type ConnectionType,
  type ConnectionUse,
  type ConnectionValue,
  type FoundConnection,
} from './connections/connection';
export {
  AUTHORIZATION_SECONDS,
  AUTHORIZATION_TRIES,
  AUTHORIZATION_TRY_SECONDS,
  authorizationUrl,
  PendingAuthorizations,
  randomToken,
  signInParameters,
  type AuthorizationRequest,
  type PendingAuthorization,
} from './connections/authorization-url';
export {
  ConnectionRefreshes,
  FreshConnections,
  REFRESH_LEASE_SECONDS,
  type RefreshClaim,
  type RefreshOutcome,
} from './connections/fresh-connections';
export {
  CLIENT_AUTHENTICATIONS,
  GRANT_TYPES,
  isReadOAuth2,
  type ClientAuthentication,
  type GrantType,
  type OAuth2Client,
  type OAuth2Tokens,
  type OAuth2Value,
} from './connections/oauth2-value';
export { clientForPiece, type PieceSignIn, type PkceMethod, type SignInProp } from './connections/piece-sign-in';
export { AppEvents, type AppEvent, type AppRequest, type ReadEvent } from './app-events/app-event';
export { OAuthApps, type OAuthApp, type OAuthAppSecrets } from './connections/oauth-app';
export { OAuth2Refusal, TokenEndpoint, type AuthorizationCode } from './connections/token-endpoint';
export { reasonOf } from './errors/reason-of';
export { WrongSettingError } from './errors/wrong-setting.error';
export { UnreadableSecretError } from './connections/unreadable-secret.error';
export { HiddenValues } from './connections/hidden-values';
export { AS_SHOWN, ReferringTexts, type StoredTexts } from './connections/referring-texts';
export { ConnectionSharing, SharedConnections } from './connections/shared-connections';
export { webhookKeyOf } from './connections/webhook-key';
export { REDACTED } from './connections/secrets';
export {
  connectionsReferredBy,
  joinedTexts,
  shownText,
  type References,
  type ReferringText,
  type StoredText,
  type ValueReference,
} from './connections/value-references';
export {
  EVENT_KINDS,
  KIND_OF_ENDING,
  RUN_EVENT_KINDS,
  TEST_EVENT_TYPE,
  type EventKind,
} from './event-destinations/event-kinds';
export {
  EVENT_DELIVERY_STATUSES,
  EVENT_DESTINATION_STATUSES,
  EventDestinationRepository,
  MAX_DESTINATION_URL_LENGTH,
  MAX_EVENT_DESTINATIONS,
  type EventDelivery,
  type EventDeliveryStatus,
  type EventDestination,
  type EventDestinationChange,
  type EventDestinationStatus,
  type EventTarget,
} from './event-destinations/event-destination';
export {
  DELIVERIES_KEPT_MS,
  FAILED_TOO_LONG,
  LONGEST_FAILURE_MS,
  MAX_LOGGED_DELIVERIES,
  MAX_PENDING_EVENTS,
  TOO_MANY_PENDING,
} from './event-destinations/delivery-rules';
export {
  DESTINATION_LEASE_SECONDS,
  DestinationSender,
  type AttemptResult,
} from './event-destinations/destination-sender';
export { DueEvents, type DestinationClaim, type DueEvent, type SettledAttempt } from './event-destinations/due-events';
export { eventBody } from './event-destinations/event-body';
export { newEventSecret } from './event-destinations/event-signature';
export { flowEventData, flowEventKinds } from './event-destinations/flow-events';
export { sendEvent, type SendOutcome } from './event-destinations/send-event';
export { addressOf, isPublicAddress, type Address } from './outbound/address-ranges';
export { allowedBy, parseAllowList, tooWide, type AllowedTarget } from './outbound/allow-list';
export { connectTarget, parseConnectTo, type ConnectRule, type HostAndPort } from './outbound/connect-to';
export { Mailer, type MailMessage, type MailReceipt, type MailServer } from './outbound/mailer';
export { OutboundFailure, OutboundHttp, type OutboundAnswer, type OutboundRequest } from './outbound/outbound-http';
export { STORE_SCOPES, StoreEntries, type StoreEntry, type StorePlace, type StoreScope } from './store/store-entries';
export { type RunEffects, type RunResponse } from './journal/step-effects';
export { hiddenResponse, revealedResponse } from './journal/hidden-response';
export { connectionsOfRecord, hasReferences, hiddenRecord, hiddenWait, revealedRecord } from './journal/hidden-records';
export type { NewChildRun } from './journal/new-child-run';
export { RecordedRun } from './journal/recorded-run';
export { addTags } from './journal/tags';
export { ChildrenEnded } from './maintenance/children-ended';
export { type Duty, type HeldLease } from './maintenance/duty';
export { EventSending } from './maintenance/event-sending';
export { FileLeftovers } from './maintenance/file-leftovers';
export { FileRetention } from './maintenance/file-retention';
export { inPages } from './maintenance/in-pages';
export { OverdueRuns } from './maintenance/overdue-runs';
export { retentionTimes, type Retention } from './maintenance/retention';
export { RunRescuer } from './maintenance/run-rescuer';
export { POLL_LIMITS, PollsDue } from './maintenance/polls-due';
export { SchedulesDue } from './maintenance/schedules-due';
export { WaitsDue } from './maintenance/waits-due';
export { isId, createdAt, firstIdAt } from './id';
export { LiveFeed, type ChangedStep, type LiveChanges, type ProjectChanges, type StatusCounts } from './live/live-feed';
export { LiveUpdates, NOBODY_WATCHES, type ChangedFlow, type ChangedRun, type StepState } from './live/live-updates';
export { MessageRate } from './live/message-rate';
export { NEWEST_RUNS, RunChanges } from './live/run-changes';
export { StepStates } from './live/step-states';
export { Watchers, type WatchNotice } from './live/watchers';
export { type FinalRunStatus, type FlowRunStatus, type RunEnvironment } from './run-status';
export { TRIGGER_KINDS, type TriggerKind } from './trigger-kind';
export { type TriggerFailure } from './triggers/trigger-failure';
export { mergeWrites, type PendingWrites, type StoreWrite } from './store/store-writes';
export { TRIGGER_HOOKS, type TriggerHook } from './triggers/trigger-hook';
export {
  TriggerHooks,
  type AppListener,
  type TriggerHookCall,
  type TriggerHookEffects,
  type TriggerHookResult,
} from './trigger-operations/trigger-hooks';
export {
  HOOK_TIMEOUT_MS,
  MOST_OPERATION_ATTEMPTS,
  OPERATION_CLAIM_MS,
  OPERATION_PATIENCE_MS,
  retryAfterMs,
  TriggerOperations,
  type ClaimedOperation,
  type DueOperation,
  type LeftTriggers,
  type NextAttempt,
  type OperationChange,
  type OperationEnding,
  type OperationOutcome,
  type AppListening,
  type TriggerOperation,
  type TriggerOperationKind,
  type TriggerToDisable,
} from './flows/trigger-operation';
export { hookInTime } from './trigger-operations/hook-in-time';
export { TriggerRequests, triggerPayload, type MadeItems } from './trigger-operations/trigger-requests';
export { hasHook, missingPiece, pieceOf, TriggerOperationRunner } from './trigger-operations/trigger-operation-runner';
export { MOST_TRIGGER_EVENTS, TriggerEvents, type TriggerEvent } from './triggers/trigger-events';
export { RenewalRunner } from './trigger-operations/renewal-runner';
export {
  NOT_RENEWED,
  TriggerRenewals,
  type DueRenewal,
  type RenewalEnding,
} from './trigger-operations/trigger-renewals';
export { RenewalsDue } from './maintenance/renewals-due';
export { TriggerOperationsDue } from './maintenance/trigger-operations-due';
export { PieceInstallationsDue } from './maintenance/piece-installations-due';
export { resolveConnections, triggerExpressionProblems } from './flows/trigger-input';
export { BACKFILL_DAYS, backfillRange } from './triggers/schedules/backfill-range';
export { MAX_BACKFILLED_RUNS, runAt, ScheduledRuns, type FlowSchedule } from './triggers/schedules/scheduled-runs';
export { fire, nextStart, type ScheduledStart } from './triggers/schedules/schedule-firing';
export { instantsAfter, nextInstant, scheduleProblems, type Timetable } from './triggers/schedules/schedule-instants';
export { isSameSecret } from './webhooks/constant-time';
export { connectionsOfWebhook, namedIn, namesConnection, type SecretSources } from './webhooks/auth-fields';
export { handshakeSign, isHandshake, type HandshakeSign, type PackageWebhook } from './handshakes/package-webhook';
export { echoChallenge, slackChallenge, type ChallengeAnswer } from './webhooks/challenges';
export { hashesBody, isGenuine, isStandardSecret, type SignedRequest } from './webhooks/is-genuine';
export { redactHeaders } from './journal/redact-headers';
export { mayFlowSet, mayHandshakeSet } from './webhooks/reserved-headers';
export {
  HMAC_ALGORITHMS,
  HMAC_ENCODINGS,
  MAX_WEBHOOK_SECRETS,
  WEBHOOK_AUTH_TYPES,
  type SenderCheck,
  type WebhookAuthType,
} from './webhooks/sender-check';
export { webhookCheck, type WebhookCheck } from './webhooks/webhook-check';
export {
  hideSecrets,
  openSecrets,
  referredSecrets,
  TriggerSecrets,
  redactSecrets,
  type KnownSecrets,
  type TriggerSecret,
} from './flows/trigger-secrets';
export type { TriggerPayload } from './triggers/trigger-payload';
export {
  type AskedSchedule,
  type EventSubscription,
  type Poll,
  type Schedule,
  type TriggerPlan,
  type RenewalTimes,
} from './triggers/trigger-plan';
export { nextRenewal } from './triggers/schedules/next-renewal';
export { canonical, fingerprint, polledItem, type FoundItem, type PolledItem } from './triggers/polls/polled-item';
export { NO_MEMORY, type PollMemory } from './triggers/polls/poll-memory';
export { PollRunner, type PollResult, type PollRunnerOptions } from './triggers/polls/poll-runner';
export { PollSource, type PollAnswer, type PollQuestion } from './triggers/polls/poll-source';
export {
  POLL_TURN_MS,
  Polls,
  type ClaimedPoll,
  type ClaimLimits,
  type PollClaim,
  type PollTurn,
  type SettledPoll,
} from './triggers/polls/polls';
export { ApiKeyRepository, type ApiKey } from './identity/api-key';
export {
  grants,
  isAtLeast,
  PERMISSIONS,
  PROJECT_ROLES,
  type Permission,
  type ProjectRole,
} from './identity/permissions';
export { CallTokens } from './identity/call-tokens';
export {
  isOpenTo,
  mayIn,
  packagePrincipal,
  permissionsIn,
  permitted,
  principalName,
  projectsWithRole,
  roleIn,
  type PlatformRole,
  type Principal,
  type ProjectRoles,
} from './identity/principal';
export { idsInPrincipalNames, PrincipalNames } from './identity/principal-names';
export { isEmailAddress, normalizedEmail } from './identity/email-address';
export { ProjectRepository, type Project } from './identity/project';
export { ProjectMemberRepository, type NamedProjectMember, type ProjectMember } from './identity/project-member';
export {
  invitationExpiry,
  UserInvitationRepository,
  type Invitee,
  type UserInvitation,
} from './identity/user-invitation';
export { minuteOf, RequestCounts } from './request-limits/request-counts';
export { RequestLimit, type RequestAllowance } from './request-limits/request-limit';
export { ResourceProjects } from './identity/resource-projects';
export {
  judgeRefresh,
  REFRESH_TOKEN_LIFETIME_MS,
  SessionRepository,
  type Refresh,
  type RefreshTokenRecord,
} from './identity/session';
export {
  admitSignIn,
  SIGN_IN_WINDOW_MS,
  SignInAttempts,
  type AdmittedAttempt,
  type AttemptCount,
} from './identity/sign-in-limits';
export { UserRepository, type IssuerIdentity, type User } from './identity/user';
export {
  FORGOTTEN_AFTER_SECONDS,
  HEARTBEAT_SECONDS,
  OFFLINE_AFTER_SECONDS,
  PIECE_WALLS,
  SETTINGS_FROM_API,
  WORKER_QUEUES,
  WORKER_STATUSES,
  WorkerMachineRepository,
  type PieceWall,
  type WorkerMachine,
  type WorkerProfile,
} from './worker-machines/worker-machine';
export { ExecutionSlot, type Elsewhere } from './runs/execution-slot';
export { Backlog, type BacklogPage, type BacklogReading, type ProjectBacklog } from './backlog/backlog';
export { BacklogWatch } from './backlog/backlog-watch';
export { type IntakeBounds } from './backlog/intake-bounds';
export { IntakeGate, type FreeDisk } from './backlog/intake-gate';
export { BacklogCount } from './backlog/backlog-count';
export { backlogLevel } from './backlog/project-level';
export { FairSlots, type SlotTicket } from './jobs/fair-slots';
export { SPARE_RUNS, wantsAnotherJob, type RunRoom } from './jobs/run-room';
export { RUN_QUEUE, executeFlowJob, type ExecuteFlowJob, type JobKind } from './jobs/job-kinds';
export {
  JOB_PRIORITY,
  placeInQueue,
  JOB_ATTEMPTS,
  JOB_BACKOFF_MS,
  COMPLETED_JOB_RETENTION_SECONDS,
  MAX_RUNS_PER_JOB,
  type JobPriority,
} from './jobs/job-policy';
export { QueueAdministration, type QueueCounts } from './jobs/queue-administration';
export {
  adviceOnFailedJob,
  FailedJobs,
  type FailedJob,
  type FailedMaintenanceJob,
  type FailedRunJob,
} from './jobs/failed-jobs';
export { JobQueue, type RunJob, type JobLiveness } from './jobs/job-queue';
export { parseRedisAddress, type RedisAddress, type RedisNode } from './jobs/redis-address';
export {
  MAINTENANCE_QUEUE,
  maintenanceJobId,
  NO_PROJECT,
  type MaintenanceJob,
  type MaintenanceJobData,
  type MaintenanceJobKind,
  type MaintenanceJobOf,
} from './jobs/maintenance-jobs';
export { placesInMaintenanceQueue } from './jobs/maintenance-places';
export { MaintenanceQueue } from './jobs/maintenance-queue';
export { assertReadableForm, formMembers } from './json/form-members';
export { MAX_XML_DEPTH, MOST_XML_NODES, xmlValue, type XmlValue } from './xml/xml-value';
export { jsonProblem } from './json/json-check';
export { storableJson, jsonDepth, type JsonText } from './json/json-text';
export { shortenValue, type Cut, type ShortenedValue } from './json/shortened-value';
export { utf8Of } from './json/utf8-text';
export { DEFAULT_PAGE_LIMIT, MAX_PAGE_LIMIT, type Page, type PageRequest } from './page';
export {
  FIRST_JOB_SECONDS,
  INSTALLATION_SECONDS,
  MOST_INSTALLATION_ATTEMPTS,
  NO_WORKER_FINISHED,
  notOfAdministrator,
  packageEvent,
  PiecePackages,
  type BuiltArchive,
  type ClaimedPiece,
  type InstallationEnding,
  type InstallationFailure,
  type PieceClaim,
  type PieceInstallation,
  type PiecePackage,
  type PieceRef,
  type WantedPiece,
} from './pieces/piece-package';
export {
  PieceQuestions,
  QUESTION_SECONDS,
  type AskedQuestion,
  type ConnectionQuestion,
  type EventQuestion,
  type OptionsQuestion,
  type PieceAnswer,
  type PieceQuestion,
} from './pieces/piece-question';
export { compareByChoice, isVersionRange, versionFor } from './pieces/piece-version';
export { PieceCatalogue, type CatalogueTrigger, type CatalogueAction, type SecretPath } from './pieces/piece-catalogue';
export {
  PIECE_CATEGORIES,
  type AuthDescription,
  type PieceCategory,
  type PieceDescription,
  type PropDescription,
} from './pieces/piece-description';
export {
  FlowRunRepository,
  MOST_RUNS_COUNTED,
  type FailureGroup,
  type FlowRunSummary,
  type FlowRunDetail,
  type RecordChoice,
  type RunRecords,
  type RunWithRecord,
  type RunData,
} from './runs/flow-run.repository';
export { type FlowRunFilter } from './runs/run-selection';
export { bucketEdges, MOST_BUCKETS, type RunBucket, type RunHistogram } from './runs/run-histogram';
export { BulkRuns } from './runs/bulk-runs';
export { RunAnswers, type RunAnswer } from './runs/run-answers';
export { RunFamilies } from './runs/run-families';
export { BROKEN_RECORD, endAsRecorded, endUnread, type EndingFromOutside } from './runs/ending-as-recorded';
export { RunEvents } from './runs/run-events';
export { badEndingOf, BadEndings, type BadEnding } from './runs/bad-ending';
export { BoundedLines, type LinesOut } from './log-lines/bounded-lines';
export { RunNotices, type RunListener } from './runs/run-notices';
export { RunWaits, type DueWaits, type RunRequest } from './runs/run-waits';
export {
  RESUME_URL_HEADER,
  type AskedWait,
  type FormField,
  type HumanRequest,
  type NewWait,
  type OpenedRequest,
  type StepWait,
  type WaitEnding,
  type WaitKind,
} from './journal/step-wait';
export { withoutRequestId, type AskedPerson, type FailedStep, type WaitingOn, type FlowRun } from './runs/flow-run';
export { PacedRetries, type ClaimedRetry } from './paced-retries/paced-retries';
export {
  endingOf,
  MOST_PACED_RETRIES,
  MOST_PER_SECOND,
  PACED_RETRY_STATUSES,
  sliceSize,
  withOutcomes,
  withSlice,
  withStarted,
  type PacedRetry,
  type PacedRetryStatus,
  type RetryUnderWay,
} from './paced-retries/paced-retry';
export { mayAnswerIn, RequestLinkFilter, withoutRequestLinks } from './runs/request-links';
export { answerOf, type GivenAnswer } from './runs/answer-request';
export { childRunOf, ChildRuns, type CallingRun, type FlowCall } from './runs/child-run';
export { errorFingerprint, withFingerprint } from './runs/error-fingerprint';
export { finishRun, type RunFinish } from './runs/finish-run';
export {
  draftKey,
  retryKey,
  triggerRunKey,
  startingStepKey,
  stepRunKey,
  webhookKey,
  type RunIdempotencyKey,
} from './runs/idempotency-key';
export {
  payloadLength,
  payloadText,
  shownRequest,
  textWithoutRawBody,
  webhookBody,
  webhookRawBody,
  isWebhook,
  type RunPayload,
  type StoredPayload,
  type WebhookBodyKind,
  type WebhookPayload,
} from './journal/run-payload';
export { MAX_RUN_DEPTH, RunIntake, type ArrivingRun, type NewRun, type Acceptance } from './runs/run-intake';
export {
  firstMoment,
  LONGEST_UNCLAIMED_MS,
  RunJournal,
  type JournalSegment,
  type PauseResult,
  type RunClaim,
  type RunEnding,
  type RunHead,
  type RunPause,
  type RunToExecute,
  type UnreadableReason,
} from './runs/run-journal';
export { recordsInVersion } from './reruns/kept-records-in-version';
export { planRerun, type RerunPlan } from './reruns/rerun-plan';
export {
  anotherRun,
  endedRun,
  keptFromFailedStep,
  stepsOnRecord,
  RETRIED_STATUSES,
  RETRY_STRATEGIES,
  type EndedRun,
  type RetryStrategy,
} from './reruns/retry-run';
export { diffRuns, type ComparedRun, type RunDiff, type StepDifference } from './reruns/run-diff';
export { type RunLeftBehind, type RunOutcome } from './runs/run-outcome';
export { FLOW_RUN_STATUSES, isFinal, canBecome } from './runs/run-transitions';
export {
  type StepResultType,
  type StepResultStatus,
  type OutputFile,
  type StepRecord,
  type RecordedStep,
  countsAsStep,
  isFinished,
  isLoop,
  itemsOnRecord,
} from './journal/step-record';
export {
  indexInside,
  isInside,
  iterationPrefix,
  OUTSIDE_LOOPS,
  pathFrom,
  pathIn,
  stepNameOf,
  type IterationPrefix,
  type StepPath,
} from './journal/step-path';
export { stepResults, type TriggerResult, type StepResult, type StepResults } from './journal/step-results';
export {
  recordFor,
  resultOf,
  summariesAt,
  totalsOf,
  withoutData,
  withoutIterations,
  type BranchTotals,
  type IterationCounts,
  type StepSummary,
  type StepTotals,
} from './journal/step-summaries';
export { UnfinishedRuns, type UnfinishedRun } from './runs/unfinished-runs';
export { endedAs, failedByChild, PAUSED_RUN_LIMIT_DAYS, PAUSED_TOO_LONG, waitDeadline } from './runs/wait-rules';
export {
  CONTROL_BOUNDS,
  CONTROL_NAMES,
  controlKeys,
  TRIGGER,
  type ControlName,
  type ControlSettings,
} from './flows/control-settings';
export { admitRun, leaveRun, reviewRun, type ControlledRun } from './flow-control/control-decisions';
export {
  controlDemand,
  publishedLimits,
  type ControlDemand,
  type ControlKeys,
  type PublishedLimits,
  type ResourceId,
} from './flow-control/control-demand';
export { ControlLedger, type ControlEntry, type ControlState, type FirstRun } from './flow-control/control-ledger';
export { LATE_DELIVERY_MS, type ControlEnding, type Standing } from './flow-control/control-rules';
export {
  announceEnded,
  FlowControl,
  mayBegin,
  type ControlAnswer,
  type EndedByControl,
  type LeavingRun,
  type LeavingState,
} from './flow-control/flow-control';
export { FlowControlDuty } from './maintenance/flow-control-duty';
