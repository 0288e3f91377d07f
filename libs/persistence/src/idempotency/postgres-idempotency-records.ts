import { IdempotencyRecords, type IdempotencyClaim, type IdempotentRequest, type KeptAnswer } from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SecretBox, type SecretPlace } from '../secrets/secret-box';

const KEPT_MS = 24 * 60 * 60 * 1000;
/** A claim without an answer that is older than this belongs to a process that died. */
const CLAIM_MS = 60_000;

/**
 * Returns a row when the caller gets the key. The statement locks a conflicting row, so only one of many callers gets
 * it.
 */
const CLAIM = `
  insert into idempotency_record as record (principal, key, request_hash, claimed_at) values ($1, $2, $3, $4)
  on conflict (principal, key) do update
    set request_hash = excluded.request_hash, claimed_at = excluded.claimed_at,
      status_code = null, headers = null, body = null
    where record.claimed_at <= $5
      or (record.status_code is null and record.claimed_at <= $6 and record.request_hash = excluded.request_hash)
  returning key`;

const FIND = `
  select request_hash as "requestHash", status_code as "statusCode", headers, body
  from idempotency_record where principal = $1 and key = $2`;

const KEEP = `
  update idempotency_record set status_code = $4, headers = $5, body = $6
  where principal = $1 and key = $2 and request_hash = $3 and status_code is null`;

const RELEASE = `
  delete from idempotency_record
  where principal = $1 and key = $2 and request_hash = $3 and status_code is null`;

interface StoredRecord {
  requestHash: string;
  statusCode: number | null;
  headers: Record<string, string> | null;
  body: Buffer | null;
}

/** The bodies of answers are encrypted, because an answer may hold a secret that is shown only once. */
@Injectable()
export class PostgresIdempotencyRecords extends IdempotencyRecords {
  constructor(
    private readonly dataSource: DataSource,
    private readonly box: SecretBox,
  ) {
    super();
  }

  async claim(request: IdempotentRequest, now: Date): Promise<IdempotencyClaim> {
    const { principal, key, requestHash } = request;
    const ago = (ms: number) => new Date(now.getTime() - ms);
    for (;;) {
      const claimed: unknown[] = await this.dataSource.query(CLAIM, [
        principal,
        key,
        requestHash,
        now,
        ago(KEPT_MS),
        ago(CLAIM_MS),
      ]);
      if (claimed.length > 0) return { kind: 'first' };
      const [record]: StoredRecord[] = await this.dataSource.query(FIND, [principal, key]);
      // A missing record was released at this moment, so the key is free and the claim is tried again.
      if (record) return this.claimOf(request, record);
    }
  }

  async keep(request: IdempotentRequest, { statusCode, headers, body }: KeptAnswer): Promise<void> {
    const sealed = body === null ? null : await this.box.seal(body, placeOf(request));
    await this.dataSource.query(KEEP, [...identityOf(request), statusCode, JSON.stringify(headers), sealed]);
  }

  async release(request: IdempotentRequest): Promise<void> {
    await this.dataSource.query(RELEASE, identityOf(request));
  }

  private async claimOf(
    request: IdempotentRequest,
    { requestHash, statusCode, headers, body }: StoredRecord,
  ): Promise<IdempotencyClaim> {
    if (requestHash !== request.requestHash) return { kind: 'reused' };
    if (statusCode === null) return { kind: 'in-progress' };
    const text = body === null ? null : await this.box.open(body, placeOf(request));
    return { kind: 'answered', answer: { statusCode, headers: headers ?? {}, body: text } };
  }
}

const identityOf = ({ principal, key, requestHash }: IdempotentRequest): string[] => [principal, key, requestHash];

/** A principal may have several projects, so answers are sealed with a key of the installation. */
const placeOf = ({ principal, key }: IdempotentRequest): SecretPlace => ({
  name: 'the stored answer to an idempotency key',
  table: 'idempotency_record',
  row: [principal, key],
  projectId: null,
  purpose: 'secrets',
  formerContext: JSON.stringify(['idempotency', principal, key]),
});
