import { OutboundHttp, type AllowedTarget, type ConnectRule } from '@millrace/domain';
import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { AddressGuard, AddressGuardOptions } from './address-guard';
import { GuardedHttp } from './guarded-http';
import { OutboundTrust, trustInFile } from './outbound-trust';

/** The settings of outbound calls. */
export interface OutboundSettings {
  readonly SVC_SSRF_ALLOW_LIST: readonly AllowedTarget[];
  readonly SVC_OUTBOUND_CONNECT_TO: readonly ConnectRule[];
  readonly SVC_OUTBOUND_CA_FILE?: string | undefined;
}

/**
 * Provides OutboundHttp, and AddressGuard and OutboundTrust for other ways out. It is global: an app imports it once.
 */
@Module({})
export class OutboundModule implements OnApplicationShutdown {
  constructor(private readonly http: GuardedHttp) {}

  /** Throws WrongSettingError when the file of certificates cannot be read. */
  static forRoot(settings: OutboundSettings): DynamicModule {
    const guardOptions: AddressGuardOptions = {
      allowList: settings.SVC_SSRF_ALLOW_LIST,
      connectTo: settings.SVC_OUTBOUND_CONNECT_TO,
    };
    return {
      module: OutboundModule,
      global: true,
      providers: [
        { provide: AddressGuardOptions, useValue: guardOptions },
        { provide: OutboundTrust, useValue: trustInFile(settings.SVC_OUTBOUND_CA_FILE) },
        AddressGuard,
        GuardedHttp,
        { provide: OutboundHttp, useExisting: GuardedHttp },
      ],
      exports: [AddressGuard, AddressGuardOptions, OutboundTrust, OutboundHttp],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.http.close();
  }
}
