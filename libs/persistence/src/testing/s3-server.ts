import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';
import type { S3Settings } from '../files/s3-file-storage';

const BUCKET = 'files';
const OBJECT = '._S3rver_object';

/** An S3 server of one test file, with one bucket. */
export class S3Server {
  private constructor(
    private readonly server: S3rver,
    private readonly folder: string,
    readonly settings: S3Settings,
  ) {}

  static async start(): Promise<S3Server> {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-s3-'));
    const configureBuckets = [{ name: BUCKET }];
    const server = new S3rver({ address: '127.0.0.1', port: 0, silent: true, directory: folder, configureBuckets });
    const { port } = await server.run();
    return new S3Server(server, folder, {
      endpoint: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
      bucket: BUCKET,
      accessKeyId: 'S3RVER',
      secretAccessKey: 'S3RVER',
      forcePathStyle: true,
    });
  }

  /** Returns the keys of all objects. */
  keys(): string[] {
    const folder = join(this.folder, BUCKET);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    return files.filter((file) => file.endsWith(OBJECT)).map((file) => file.slice(0, -OBJECT.length));
  }

  async stop(): Promise<void> {
    await this.server.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
