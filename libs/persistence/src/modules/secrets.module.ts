import { Module, type DynamicModule } from '@nestjs/common';
import { Pool } from 'pg';
import { DataKeys } from '../secrets/data-keys';
import { InstallationKeys } from '../secrets/installation-keys';
import type { KeyRing } from '../secrets/key-ring';
import { PostgresDataKeyStore } from '../secrets/postgres-data-key-store';
import { SecretBox } from '../secrets/secret-box';

/** Provides SecretBox, which seals and opens secrets at rest, and InstallationKeys. It needs PostgresModule. It is global. */
@Module({})
export class SecretsModule {
  static forRoot(ring: KeyRing): DynamicModule {
    return {
      module: SecretsModule,
      global: true,
      providers: [
        {
          provide: DataKeys,
          inject: [Pool],
          useFactory: (pool: Pool) => new DataKeys(new PostgresDataKeyStore(pool), ring),
        },
        InstallationKeys,
        { provide: SecretBox, inject: [DataKeys], useFactory: (keys: DataKeys) => new SecretBox(keys, ring) },
      ],
      exports: [InstallationKeys, SecretBox],
    };
  }
}
