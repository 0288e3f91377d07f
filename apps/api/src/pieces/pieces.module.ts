import { OutboundHttp } from '@millrace/domain';
import { AddressGuard, GuardedHttp } from '@millrace/http';
import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { API_SETTINGS, type ApiSettings } from '../settings/config';
import { PiecesController } from './pieces.controller';
import { PiecesService } from './pieces.service';

@Module({
  controllers: [PiecesController],
  providers: [
    PiecesService,
    {
      provide: GuardedHttp,
      inject: [API_SETTINGS],
      useFactory: ({ SVC_SSRF_ALLOW_LIST: allowList }: ApiSettings) => new GuardedHttp(new AddressGuard({ allowList })),
    },
    { provide: OutboundHttp, useExisting: GuardedHttp },
  ],
})
export class PiecesModule implements OnApplicationShutdown {
  constructor(private readonly http: GuardedHttp) {}

  async onApplicationShutdown(): Promise<void> {
    await this.http.close();
  }
}
