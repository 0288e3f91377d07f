import { OutboundHttp } from '@millrace/domain';
import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { AddressGuard, AddressGuardOptions } from './address-guard';
import { GuardedHttp } from './guarded-http';

/** Provides OutboundHttp, and AddressGuard for other ways out. It is global: an app imports it once. */
@Module({})
export class OutboundModule implements OnApplicationShutdown {
  constructor(private readonly http: GuardedHttp) {}

  static forRoot({ allowList }: Pick<AddressGuardOptions, 'allowList'>): DynamicModule {
    return {
      module: OutboundModule,
      global: true,
      providers: [
        { provide: AddressGuardOptions, useValue: { allowList } satisfies AddressGuardOptions },
        AddressGuard,
        GuardedHttp,
        { provide: OutboundHttp, useExisting: GuardedHttp },
      ],
      exports: [AddressGuard, OutboundHttp],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.http.close();
  }
}
