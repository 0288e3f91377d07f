import {
  FIRST_JOB_SECONDS,
  INSTALLATION_SECONDS,
  MOST_INSTALLATION_ATTEMPTS,
  type InstallationFailure,
  type PiecePackage,
} from '@millrace/domain';

// The statements of the rows of packages. A row is never deleted.

export interface PackageRow {
  id: string;
  name: string;
  version: string;
  state: 'WANTED' | 'INSTALLED' | 'FAILED' | 'REMOVED';
  integrity: string | null;
  wanted_integrity: string | null;
  sent_archive_id: string | null;
  archive_id: string | null;
  problem: string | null;
  problem_code: InstallationFailure['code'] | null;
  epoch: number;
  lock: string | null;
  installed_by_admin: boolean;
  wanted_by: string | null;
  wanted_from: string | null;
}

export interface InstalledRow {
  id: string;
  name: string;
  version: string;
  integrity: string;
  archive_id: string;
  /** The driver returns a bigint as text. */
  bytes: string;
  built_integrity: string | null;
  installed_by_admin: boolean;
  description?: unknown;
  created: Date;
}

const STATE_COLUMNS = `id, name, version, state, integrity, wanted_integrity, sent_archive_id, archive_id, problem,
  problem_code, epoch, lock, installed_by_admin, wanted_by, wanted_from`;
const INSTALLED_COLUMNS =
  'id, name, version, integrity, archive_id, bytes, built_integrity, installed_by_admin, created';

export const FIND_INSTALLED = `
  select ${INSTALLED_COLUMNS}, description from piece_package
  where (name, version) in (select * from unnest($1::text[], $2::text[])) and state = 'INSTALLED'`;
export const LIST_INSTALLED = `
  select ${INSTALLED_COLUMNS} from piece_package where state = 'INSTALLED'
  order by name collate "C", version collate "C"`;
export const FIND = `select ${STATE_COLUMNS} from piece_package where id = $1`;
/** For what changes a row and removes nothing. It does not wait for flows that are being published. */
export const LOCK = `${FIND} for no key update`;
export const LOCK_REF = `select ${STATE_COLUMNS} from piece_package where name = $1 and version = $2 for update`;

const inSeconds = (seconds: number) => `now() + ${seconds} * interval '1 second'`;

/** Waits for another transaction that inserts the same package, and then inserts nothing. */
export const INSERT = `
  insert into piece_package (id, name, version, state, wanted_integrity, sent_archive_id, installed_by_admin, wanted_by, wanted_from, due_at)
  values ($1, $2, $3, 'WANTED', $4, $5, $6, $7, $8, ${inSeconds(FIRST_JOB_SECONDS)})
  on conflict (name, version) do nothing
  returning id`;

export const WANT_ANEW = `
  update piece_package
  set state = 'WANTED', wanted_integrity = $2, sent_archive_id = $3, installed_by_admin = $4, wanted_by = $5, wanted_from = $6, problem = null, problem_code = null,
    epoch = epoch + 1, attempts = 0,
    due_at = ${inSeconds(FIRST_JOB_SECONDS)}, updated = now()
  where id = $1
  returning epoch`;

export const WANT_TOO = `
  update piece_package
  set wanted_integrity = coalesce(wanted_integrity, $2), installed_by_admin = $3, wanted_by = $4, wanted_from = $5,
    updated = now()
  where id = $1`;

export const AWAITS_ARCHIVE = `select from piece_package where state = 'WANTED' and sent_archive_id = $1`;

export const LET_IN = 'update piece_package set installed_by_admin = true, updated = now() where id = $1';

export const CLAIM = `
  update piece_package set attempts = attempts + 1, due_at = ${inSeconds(INSTALLATION_SECONDS)}, updated = now()
  where id = $1 and epoch = $2 and state = 'WANTED' and attempts < ${MOST_INSTALLATION_ATTEMPTS}
  returning ${STATE_COLUMNS}`;

export const RENEW = `
  update piece_package set due_at = ${inSeconds(INSTALLATION_SECONDS)}, updated = now()
  where id = $1 and epoch = $2 and state = 'WANTED'`;

export const INSTALL = `
  update piece_package
  set state = 'INSTALLED', integrity = $2, archive_id = $3, bytes = $4, description = $5, built_integrity = $6,
    lock = coalesce(lock, $7), wanted_integrity = null, sent_archive_id = null,
    wanted_by = null, wanted_from = null, due_at = null, updated = now()
  where id = $1`;

export const FAIL = `
  update piece_package
  set state = 'FAILED', problem = $2, problem_code = $3, wanted_integrity = null, sent_archive_id = null,
    wanted_by = null, wanted_from = null, due_at = null, updated = now()
  where id = $1`;

export const CLAIM_DUE = `
  with due as (
    select id, attempts >= ${MOST_INSTALLATION_ATTEMPTS} as is_spent from piece_package
    where due_at <= now() and state = 'WANTED' order by due_at limit $1 for update skip locked
  ), failed as (
    update piece_package
    set state = 'FAILED', problem = $2, problem_code = 'PIECE_NOT_INSTALLED', wanted_integrity = null,
      sent_archive_id = null, wanted_by = null, wanted_from = null, due_at = null, updated = now()
    where id in (select id from due where is_spent)
  )
  update piece_package set epoch = epoch + 1, due_at = ${inSeconds(INSTALLATION_SECONDS)}, updated = now()
  where id in (select id from due where not is_spent)
  returning id, epoch`;

export const REMOVE = `
  update piece_package
  set state = 'REMOVED', archive_id = null, bytes = null, description = null, built_integrity = null, updated = now()
  where id = $1`;

// The names of the pieces are beside each version, except in old ones. Then the text is searched for both as they are in
// JSON, which costs far less than parsing it: so only versions that have both are searched for a step. An input that looks like a step counts as one: then the package
// stays, which does no harm.
const STEPS_OF = `$.** ? (@.type == "PIECE" || @.type == "PIECE_TRIGGER").settings
  ? (@.pieceName == $name && @.pieceVersion == $version)`;

export const COUNT_FLOWS = `
  select count(*)::int as flows from flow join flow_version version on version.id = flow.published_version_id
  where case
    when not coalesce((version.contents -> 'pieceNames')::jsonb ? $1::text, true) then false
    when strpos(version.trigger::text, to_json($1::text)::text) = 0 then false
    when strpos(version.trigger::text, to_json($2::text)::text) = 0 then false
    else jsonb_path_exists(version.trigger::jsonb, '${STEPS_OF}',
      jsonb_build_object('name', $1::text, 'version', $2::text))
  end`;

/** Counts the operations that call hooks of a package. Such an operation outlives the version of the flow, and the flow. */
export const COUNT_OPERATIONS = `
  select count(*)::int as operations from trigger_operation
  where kind <> 'TESTING' and strpos(triggers, to_json($1::text)::text) > 0 and exists (
    select from json_array_elements(triggers::json -> 'off') off
    where off #>> '{trigger,settings,pieceName}' = $1 and off #>> '{trigger,settings,pieceVersion}' = $2
    union all
    select from unnest(array['on', 'restore']) side
    where triggers::json #>> array[side, 'trigger', 'settings', 'pieceName'] = $1
      and triggers::json #>> array[side, 'trigger', 'settings', 'pieceVersion'] = $2
  )`;

export const toPackage = ({
  archive_id,
  bytes,
  built_integrity,
  installed_by_admin,
  description,
  ...row
}: InstalledRow): PiecePackage => ({
  ...row,
  archiveId: archive_id,
  bytes: Number(bytes),
  builtIntegrity: built_integrity,
  installedByAdmin: installed_by_admin,
  description,
});
