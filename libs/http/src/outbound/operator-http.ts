import { parseAllowList } from '@millrace/domain';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AddressGuard } from './address-guard';
import { GuardedHttp } from './guarded-http';

/**
 * Calls servers that a setting of the operator names. Unlike calls of flows, these may go to every address inside the
 * network.
 */
@Injectable()
export class OperatorHttp extends GuardedHttp implements OnApplicationShutdown {
  constructor() {
    super(new AddressGuard({ allowList: parseAllowList('0.0.0.0/0,::/0'), warn: () => undefined }));
  }

  onApplicationShutdown(): Promise<void> {
    return this.close();
  }
}
