import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';

interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** An S3 server on this machine, with one bucket and TLS. It takes names of hosts that begin with the bucket. */
export class ObjectStore {
  private constructor(
    private readonly server: S3rver,
    private readonly folder: string,
    private readonly bucket: string,
    readonly port: number,
  ) {}

  static async start(bucket: string, certificate: Certificate): Promise<ObjectStore> {
    const folder = mkdtempSync(join(tmpdir(), 'object-store-'));
    const options = { address: '127.0.0.1', port: 0, silent: true, directory: folder };
    const server = new S3rver({ ...options, ...certificate, configureBuckets: [{ name: bucket }] });
    const { port } = await server.run();
    return new ObjectStore(server, folder, bucket, port);
  }

  read(key: string): string {
    return readFileSync(join(this.folder, this.bucket, `${key}._S3rver_object`), 'utf8');
  }

  async stop(): Promise<void> {
    await this.server.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
