import { Clock } from '@millrace/domain';
import { OperatorHttp } from '@millrace/http';
import { Module } from '@nestjs/common';
import { API_SETTINGS, type ApiSettings } from '../settings/config';
import { IssuerKeys } from './issuer-keys';
import { IssuerTokens } from './issuer-tokens';
import { IssuerUsers } from './issuer-users';

type IssuerSettings = Pick<ApiSettings, 'SVC_OAUTH_ISSUER' | 'SVC_OAUTH_AUDIENCE'>;

function issuerTokens(settings: IssuerSettings, http: OperatorHttp, clock: Clock): IssuerTokens {
  const { SVC_OAUTH_ISSUER: issuer = '', SVC_OAUTH_AUDIENCE: audience = '' } = settings;
  return new IssuerTokens(issuer ? { issuer, audience } : null, new IssuerKeys(issuer, http).find, clock);
}

/** Access tokens of the configured issuer. Without an issuer, none is accepted. */
@Module({
  providers: [
    OperatorHttp,
    { provide: IssuerTokens, useFactory: issuerTokens, inject: [API_SETTINGS, OperatorHttp, Clock] },
    IssuerUsers,
  ],
  exports: [IssuerUsers],
})
export class IssuerModule {}
