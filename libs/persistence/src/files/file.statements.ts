import { firstIdAt, isId, NO_PROJECT, type FileProjects, type FileType, type NewFile } from '@millrace/domain';
import type { Pool } from 'pg';
import { plainArray } from '../postgres/packed-bytes';
import { storableText } from '../postgres/stored-json';
import type { StorageName } from './file-storage';

// A row is WRITING until its content is stored, then READY, and DELETING until its content is removed. Only READY rows
// are files.

export interface StoredFileRow {
  id: string;
  project_id: string;
  type: FileType;
  name: string;
  content_type: string;
  /** The driver returns a bigint as text. */
  bytes: string;
  run_id: string | null;
  storage: StorageName;
  created: Date;
}

/** The columns that are needed to remove the content of a file. */
export type DoomedFile = Pick<StoredFileRow, 'id' | 'project_id' | 'storage'>;

// A write whose process died is begun again: its content is replaced in the storage in which it began.
const BEGIN = `
  insert into file (id, project_id, type, name, content_type, bytes, run_id, storage, state, begun, created)
  values ($1, $2, $3, $4, $5, $6, $7, $8, 'WRITING', now(), now())
  on conflict (id) do update set begun = now() where file.state = 'WRITING'
  returning storage`;

/** Returns the storage for the content; null when a file with this id exists already or is being deleted. */
export async function beginFile(pool: Pool, file: NewFile, storage: StorageName): Promise<StorageName | null> {
  const { id, projectId, type, name, contentType, bytes, runId } = file;
  const values = [id, projectId, type, storableText(name), contentType, bytes, runId, storage];
  const { rows } = await pool.query<{ storage: StorageName }>({ name: 'begin-file', text: BEGIN, values });
  return rows[0]?.storage ?? null;
}

const COMPLETE = `update file set state = 'READY' where id = $1 and state = 'WRITING'`;

/** Returns false when the row was not WRITING, for example because another writer of the file has completed it. */
export async function completeFile(pool: Pool, id: string): Promise<boolean> {
  return (await pool.query({ name: 'complete-file', text: COMPLETE, values: [id] })).rowCount === 1;
}

const FIND = `
  select id, project_id, type, name, content_type, bytes, run_id, storage, created from file
  where id = $1 and state = 'READY' and ($2::uuid[] is null or project_id = any($2))`;

export async function findFile(pool: Pool, id: string, projectIds: FileProjects): Promise<StoredFileRow | undefined> {
  const values = [id, idsOrAll(projectIds)];
  return (await pool.query<StoredFileRow>({ name: 'find-file', text: FIND, values })).rows[0];
}

const DOOM = `
  update file set state = 'DELETING', begun = now()
  where id = any($1::uuid[]) and state = 'READY' and ($2::uuid[] is null or project_id = any($2))
  returning id, project_id, storage`;

export async function doomFiles(pool: Pool, ids: readonly string[], projectIds: FileProjects): Promise<DoomedFile[]> {
  const values = [plainArray(ids), idsOrAll(projectIds)];
  return (await pool.query<DoomedFile>({ name: 'doom-files', text: DOOM, values })).rows;
}

const KEEP_WITH_RUN = `
  update file set run_id = $2
  where id in (select id from file where id = any($1::uuid[]) order by id for update) and run_id < $2 and state = 'READY'`;

export async function keepFilesWithRun(pool: Pool, ids: readonly string[], runId: string): Promise<void> {
  await pool.query({ name: 'keep-files-with-run', text: KEEP_WITH_RUN, values: [ids, runId] });
}

const DOOM_OF_RUNS = `
  update file set state = 'DELETING', begun = now()
  where id = any(array(
    select file.id from file left join flow_run run on run.id = file.run_id
    where file.run_id < $1 and file.state = 'READY' and (run.id is null or run.finish_time < $2)
    order by file.run_id, file.id limit $3
    for update of file skip locked
  )) and state = 'READY'
  returning id, project_id, storage`;

/** Marks files of runs that had ended by then as DELETING, and files whose run no longer exists. */
export async function doomFilesOfRuns(pool: Pool, endedBefore: Date, limit: number): Promise<DoomedFile[]> {
  const values = [firstIdAt(endedBefore), endedBefore, limit];
  const query = { name: 'doom-files-of-runs', text: DOOM_OF_RUNS, values };
  return (await pool.query<DoomedFile>(query)).rows;
}

// Steps on from project to project in the index, however many files each has. What belongs to the whole installation is
// of no project, and was never of a deleted one.
const DOOM_OF_DELETED_PROJECTS = `
  with recursive owner (id) as (
    (select project_id from file where state = 'READY' order by project_id limit 1)
    union all
    select (select project_id from file where state = 'READY' and project_id > owner.id order by project_id limit 1)
    from owner where owner.id is not null
  )
  update file set state = 'DELETING', begun = now()
  where id = any(array(
    select file.id from owner join file on file.project_id = owner.id
    where file.state = 'READY' and owner.id <> '${NO_PROJECT}'
      and not exists (select from project where project.id = owner.id)
    limit $1 for update of file skip locked
  )) and state = 'READY'
  returning id, project_id, storage`;

export async function doomFilesOfDeletedProjects(pool: Pool, limit: number): Promise<DoomedFile[]> {
  const query = { name: 'doom-files-of-deleted-projects', text: DOOM_OF_DELETED_PROJECTS, values: [limit] };
  return (await pool.query<DoomedFile>(query)).rows;
}

// A package that is wanted names the archive that was sent, and an installed one the archive that it has.
const DOOM_UNNAMED_ARCHIVES = `
  update file set state = 'DELETING', begun = now()
  where id = any(array(
    select id from file
    where project_id = '${NO_PROJECT}' and state = 'READY' and type = 'PACKAGE_ARCHIVE' and created < $1
      and not exists (select from piece_package where file.id in (archive_id, sent_archive_id))
    limit $2 for update of file skip locked
  )) and state = 'READY'
  returning id, project_id, storage`;

export async function doomUnnamedArchives(pool: Pool, writtenBefore: Date, limit: number): Promise<DoomedFile[]> {
  const query = { name: 'doom-unnamed-archives', text: DOOM_UNNAMED_ARCHIVES, values: [writtenBefore, limit] };
  return (await pool.query<DoomedFile>(query)).rows;
}

const DOOM_LEFTOVERS = `
  update file set state = 'DELETING', begun = now()
  where id = any(array(
    select id from file where state <> 'READY' and begun < $1 order by begun limit $2 for update skip locked
  )) and state <> 'READY'
  returning id, project_id, storage`;

export async function doomLeftovers(pool: Pool, begunBefore: Date, limit: number): Promise<DoomedFile[]> {
  const query = { name: 'doom-file-leftovers', text: DOOM_LEFTOVERS, values: [begunBefore, limit] };
  return (await pool.query<DoomedFile>(query)).rows;
}

const FORGET = `delete from file where id = any($1::uuid[]) and state = 'DELETING'`;

/** Deletes the rows of files whose content has been removed. */
export async function forgetFiles(pool: Pool, ids: readonly string[]): Promise<void> {
  await pool.query({ name: 'forget-files', text: FORGET, values: [plainArray(ids)] });
}

const idsOrAll = (projectIds: FileProjects): string | null =>
  projectIds === 'any' ? null : plainArray(projectIds.filter(isId));
