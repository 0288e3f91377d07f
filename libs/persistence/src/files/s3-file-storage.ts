import { ServiceUnavailableError, type FileContent, type NewFile } from '@millrace/domain';
import type { S3Client } from '@aws-sdk/client-s3';
import { Logger } from '@nestjs/common';
import { env } from 'node:process';
import { Readable } from 'node:stream';
import { piecesOf } from './content-pieces';
import { FileStorage, type ContentPlace, type KeptFile } from './file-storage';

export interface S3Settings {
  /** The address of the S3 server; undefined for Amazon's own. */
  endpoint: string | undefined;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Addresses name the bucket in their path and not in their host name. */
  forcePathStyle: boolean;
}

/** The bucket of the settings; null when there is none. */
export const openBucket = ({ s3 }: { s3: S3Settings | null }): S3FileStorage | null => s3 && new S3FileStorage(s3);

type Sdk = typeof import('@aws-sdk/client-s3');

interface Connected {
  sdk: Sdk;
  client: S3Client;
}

/** Smaller content is sent as one buffer, which the client can send again when the network fails. */
const WHOLE_UP_TO_BYTES = 8 * 1024 * 1024;
const CONNECT_MS = 5_000;
const SILENCE_MS = 30_000;
/** S3 deletes at most this many objects by one request. */
const DELETED_AT_ONCE = 1_000;

/** Content in a bucket, with the keys `<project id>/<file id>`. The first call loads the S3 client. */
export class S3FileStorage extends FileStorage {
  private readonly logger = new Logger('FileStorage');
  private connected: Promise<Connected> | null = null;

  constructor(private readonly settings: S3Settings) {
    super();
  }

  async put(file: NewFile, content: FileContent): Promise<void> {
    if (file.bytes > WHOLE_UP_TO_BYTES) await this.putStream(file, Readable.from(content));
    else await this.putBody(file, await wholeOf(content, file.bytes));
  }

  async open(file: KeptFile): Promise<Readable | null> {
    const found = await this.ask(async ({ sdk, client }) => {
      try {
        return await client.send(new sdk.GetObjectCommand(this.object(file)));
      } catch (error) {
        if (nameOf(error) === 'NoSuchKey') return null;
        throw error;
      }
    });
    return (found?.Body as Readable | undefined) ?? null;
  }

  async remove(places: readonly ContentPlace[]): Promise<void> {
    for (let start = 0; start < places.length; start += DELETED_AT_ONCE) {
      const keys = places.slice(start, start + DELETED_AT_ONCE).map((place) => ({ Key: keyOf(place) }));
      await this.ask(async ({ sdk, client }) => {
        const { bucket } = this.settings;
        const command = new sdk.DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: keys, Quiet: true } });
        const [failed] = (await client.send(command)).Errors ?? [];
        if (failed) throw new Error(`S3 did not delete ${failed.Key}: ${failed.Code}.`);
      });
    }
  }

  async close(): Promise<void> {
    const connected = this.connected;
    this.connected = null;
    (await connected)?.client.destroy();
  }

  /** The client ignores the errors of a stream and would wait for its rest forever, so an error aborts the request. */
  private async putStream(file: NewFile, body: Readable): Promise<void> {
    const broken = new AbortController();
    body.once('error', (error) => broken.abort(error));
    try {
      await this.putBody(file, body, broken.signal);
    } catch (error) {
      throw broken.signal.aborted ? broken.signal.reason : error;
    } finally {
      body.destroy();
    }
  }

  private async putBody(file: NewFile, body: Buffer | Readable, abortSignal?: AbortSignal): Promise<void> {
    await this.ask(({ sdk, client }) => {
      const { bytes, contentType } = file;
      const object = { ...this.object(file), Body: body, ContentLength: bytes, ContentType: contentType };
      return client.send(new sdk.PutObjectCommand(object), { abortSignal });
    });
  }

  /** Throws ServiceUnavailableError for every failure of the storage: a caller can only try again later. */
  private async ask<T>(request: (connected: Connected) => Promise<T>): Promise<T> {
    this.connected ??= connect(this.settings);
    const connected = await this.connected;
    try {
      return await request(connected);
    } catch (error) {
      this.logger.warn(`The file storage failed: ${String(error)}`);
      throw new ServiceUnavailableError('The file storage is away; try again later.', 5, { cause: error });
    }
  }

  private object(place: ContentPlace): { Bucket: string; Key: string } {
    return { Bucket: this.settings.bucket, Key: keyOf(place) };
  }
}

async function connect({ bucket: _bucket, accessKeyId, secretAccessKey, ...more }: S3Settings): Promise<Connected> {
  // The client's warning about future versions of Node is of no use to the operator. This variable turns it off.
  env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  const sdk = await import('@aws-sdk/client-s3');
  const client = new sdk.S3Client({
    ...more,
    credentials: { accessKeyId, secretAccessKey },
    // Few servers other than Amazon's support the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // The client's errors carry all that is needed.
    logger: SILENT,
    requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: SILENCE_MS },
  });
  return { sdk, client };
}

const ignore = (): void => undefined;
const SILENT = { debug: ignore, info: ignore, warn: ignore, error: ignore };

async function wholeOf(content: FileContent, bytes: number): Promise<Buffer> {
  for await (const whole of piecesOf(content, Math.max(bytes, 1))) return whole;
  return Buffer.alloc(0);
}

const keyOf = ({ projectId, id }: ContentPlace): string => `${projectId}/${id}`;

const nameOf = (error: unknown): unknown => (error instanceof Error ? error.name : undefined);
