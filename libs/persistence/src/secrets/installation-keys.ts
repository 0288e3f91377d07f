import { hkdfSync } from 'node:crypto';
import { ServiceUnavailableError } from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { DataKeys } from './data-keys';
import { KEY_BYTES } from './encryption';
import type { KeyPurpose } from './key-ring';

/** The keys of the installation that encrypt nothing. They outlive every rotation of the encryption key. */
@Injectable()
export class InstallationKeys {
  constructor(private readonly keys: DataKeys) {}

  /** The key that signs links to files. */
  readonly fileLinks = (): Promise<Buffer> => this.keyFor('file links');

  /** The key from which the ids of requests to people are made. */
  readonly requestIds = (): Promise<Buffer> => this.keyFor('request ids');

  /** The key that signs the tokens by which workers read for packages. It is derived, because both apps open its origin. */
  readonly callTokens = async (): Promise<Buffer> =>
    Buffer.from(hkdfSync('sha256', await this.requestIds(), '', 'millrace call tokens', KEY_BYTES));

  private async keyFor(purpose: KeyPurpose): Promise<Buffer> {
    const key = await this.keys.findOf(purpose, null);
    if (!key) throw new ServiceUnavailableError('The api has not made the keys of the installation yet.', 5);
    return key.key;
  }
}
