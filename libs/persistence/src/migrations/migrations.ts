import { Init1790000000000 } from './1790000000000-init';
import { CodeBundles1790100000000 } from './1790100000000-code-bundles';
import { FlowEditing1790200000000 } from './1790200000000-flow-editing';
import { Steps1790300000000 } from './1790300000000-steps';
import { WaitingRuns1790400000000 } from './1790400000000-waiting-runs';
import { RunLists1790410000000 } from './1790410000000-run-lists';
import { Files1790420000000 } from './1790420000000-files';
import { VersionTriggers1790490000000 } from './1790490000000-version-triggers';
import { PartitionedRuns1790500000000 } from './1790500000000-partitioned-runs';
import { LeaderLease1790510000000 } from './1790510000000-leader-lease';
import { RunBacklog1790530000000 } from './1790530000000-run-backlog';
import { FailedStepStatistics1790550000000 } from './1790550000000-failed-step-statistics';
import { UsedCodeBundles1790560000000 } from './1790560000000-used-code-bundles';
import { RetriedRuns1790570000000 } from './1790570000000-retried-runs';
import { TriggerState1790600000000 } from './1790600000000-trigger-state';
import { Schedules1790610000000 } from './1790610000000-schedules';
import { Polls1790620000000 } from './1790620000000-polls';
import { TriggerOperations1790630000000 } from './1790630000000-trigger-operations';
import { TriggerEvents1790631000000 } from './1790631000000-trigger-events';
import { TriggerRenewals1790632000000 } from './1790632000000-trigger-renewals';
import { TriggerSecrets1790640000000 } from './1790640000000-trigger-secrets';
import { FlowControl1790660000000 } from './1790660000000-flow-control';
import { EventDestinations1790680000000 } from './1790680000000-event-destinations';
import { SecretsOfDeletedFlows1790686000000 } from './1790686000000-secrets-of-deleted-flows';
import { ScheduleDays1790687000000 } from './1790687000000-schedule-days';
import { DataKeys1790700000000 } from './1790700000000-data-keys';
import { OAuth2Connections1790702000000 } from './1790702000000-oauth2-connections';
import { ControlledRunStates1790710000000 } from './1790710000000-controlled-run-states';
import { PublishedControl1790711000000 } from './1790711000000-published-control';
import { ProjectMembers1790720000000 } from './1790720000000-project-members';
import { Invitations1790721000000 } from './1790721000000-invitations';
import { Sessions1790722000000 } from './1790722000000-sessions';
import { AuditEvents1790730000000 } from './1790730000000-audit-events';
import { RequestCounts1790731000000 } from './1790731000000-request-counts';
import { IssuerIdentities1790732000000 } from './1790732000000-issuer-identities';
import { WorkerMachines1790763000000 } from './1790763000000-worker-machines';
import { SharedConnections1790764000000 } from './1790764000000-shared-connections';
import { FilesByProject1790765000000 } from './1790765000000-files-by-project';
import { NormalizedEmails1790766000000 } from './1790766000000-normalized-emails';
import { AuthorizationTries1790771000000 } from './1790771000000-authorization-tries';
import { HeldRuns1790781000000 } from './1790781000000-held-runs';
import { VersionContents1790790000000 } from './1790790000000-version-contents';
import { Publications1790791000000 } from './1790791000000-publications';
import { PacedRetries1790800000000 } from './1790800000000-paced-retries';
import { FingerprintsOfMonths1790810000000 } from './1790810000000-fingerprints-of-months';
import { FailureFingerprints1790811000000 } from './1790811000000-failure-fingerprints';
import { PiecePackages1790820000000 } from './1790820000000-piece-packages';
import { PieceQuestions1790821000000 } from './1790821000000-piece-questions';
import { PieceIsolation1790825000000 } from './1790825000000-piece-isolation';
import { OAuthApps1790830000000 } from './1790830000000-oauth-apps';
import { AppListeners1790840000000 } from './1790840000000-app-listeners';
import { BuiltPackages1790845000000 } from './1790845000000-built-packages';
import { PackagesOfAdministrators1790850000000 } from './1790850000000-packages-of-administrators';
import { WhoWantedPackages1790851000000 } from './1790851000000-who-wanted-packages';
import { RenewalInstants1790855000000 } from './1790855000000-renewal-instants';
import { ClaimedTriggerOperations1790860000000 } from './1790860000000-claimed-trigger-operations';

/** In order. A migration is never edited once merged. */
export const migrations = [
  Init1790000000000,
  CodeBundles1790100000000,
  FlowEditing1790200000000,
  Steps1790300000000,
  WaitingRuns1790400000000,
  RunLists1790410000000,
  Files1790420000000,
  VersionTriggers1790490000000,
  PartitionedRuns1790500000000,
  LeaderLease1790510000000,
  RunBacklog1790530000000,
  FailedStepStatistics1790550000000,
  UsedCodeBundles1790560000000,
  RetriedRuns1790570000000,
  TriggerState1790600000000,
  Schedules1790610000000,
  Polls1790620000000,
  TriggerOperations1790630000000,
  TriggerEvents1790631000000,
  TriggerRenewals1790632000000,
  TriggerSecrets1790640000000,
  FlowControl1790660000000,
  EventDestinations1790680000000,
  SecretsOfDeletedFlows1790686000000,
  ScheduleDays1790687000000,
  DataKeys1790700000000,
  OAuth2Connections1790702000000,
  ControlledRunStates1790710000000,
  PublishedControl1790711000000,
  ProjectMembers1790720000000,
  Invitations1790721000000,
  Sessions1790722000000,
  AuditEvents1790730000000,
  RequestCounts1790731000000,
  IssuerIdentities1790732000000,
  WorkerMachines1790763000000,
  SharedConnections1790764000000,
  FilesByProject1790765000000,
  NormalizedEmails1790766000000,
  AuthorizationTries1790771000000,
  HeldRuns1790781000000,
  VersionContents1790790000000,
  Publications1790791000000,
  PacedRetries1790800000000,
  FingerprintsOfMonths1790810000000,
  FailureFingerprints1790811000000,
  PiecePackages1790820000000,
  PieceQuestions1790821000000,
  PieceIsolation1790825000000,
  OAuthApps1790830000000,
  AppListeners1790840000000,
  BuiltPackages1790845000000,
  PackagesOfAdministrators1790850000000,
  WhoWantedPackages1790851000000,
  RenewalInstants1790855000000,
  ClaimedTriggerOperations1790860000000,
];
