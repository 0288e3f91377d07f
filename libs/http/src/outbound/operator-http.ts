import { parseAllowList } from '@millrace/domain';
import { Injectable, Optional, type OnApplicationShutdown } from '@nestjs/common';
import { lookup } from 'node:dns/promises';
import { AddressGuard, AddressGuardOptions } from './address-guard';
import { GuardedHttp } from './guarded-http';
import { OutboundTrust } from './outbound-trust';

const EVERYWHERE = parseAllowList('0.0.0.0/0,::/0');

/**
 * Calls servers that a setting of the operator names. Unlike calls of flows, these may go to every address inside the
 * network. Their names are looked up by the system itself, which may know them from elsewhere than name servers.
 */
@Injectable()
export class OperatorHttp extends GuardedHttp implements OnApplicationShutdown {
  constructor(@Optional() { connectTo }: AddressGuardOptions = {}, @Optional() trust: OutboundTrust = {}) {
    super(
      new AddressGuard({
        allowList: EVERYWHERE,
        connectTo,
        lookup: (host) => lookup(host, { all: true }),
        warn: () => undefined,
      }),
      {},
      undefined,
      undefined,
      trust,
    );
  }

  onApplicationShutdown(): Promise<void> {
    return this.close();
  }
}
