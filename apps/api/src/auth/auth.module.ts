import { CallTokens } from '@millrace/domain';
import { InstallationKeys } from '@millrace/persistence';
import { Global, Module } from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { JwtModule } from '@nestjs/jwt';
import { PassportModule } from '@nestjs/passport';
import { IssuerModule } from '../issuer/issuer.module';
import { AccessTokenGuard } from './access-token.guard';
import { AccessTokenStrategy } from './access-token.strategy';
import { AccessTokens } from './access-tokens';
import { AuthenticationController } from './authentication.controller';
import { AuthenticationService } from './authentication.service';
import { CredentialsGuard } from './credentials.guard';
import { DeniedResources } from './denied-resources.interceptor';
import { FirstAdministrator } from './first-administrator';
import { Principals } from './principals';
import { ProjectAccess } from './project-access';
import { RequestLimits } from '../request-limits/request-limits';
import { Sessions } from './sessions';
import { SignUpService } from './sign-up.service';
import { WorkerToken } from './worker-token';

@Global()
@Module({
  imports: [PassportModule, JwtModule.register({}), IssuerModule],
  controllers: [AuthenticationController],
  providers: [
    AuthenticationService,
    Sessions,
    SignUpService,
    AccessTokenStrategy,
    AccessTokenGuard,
    AccessTokens,
    Principals,
    ProjectAccess,
    FirstAdministrator,
    CredentialsGuard,
    RequestLimits,
    WorkerToken,
    {
      provide: CallTokens,
      inject: [InstallationKeys],
      useFactory: (keys: InstallationKeys) => new CallTokens(keys.callTokens),
    },
    { provide: APP_INTERCEPTOR, useClass: DeniedResources },
    { provide: APP_GUARD, useExisting: CredentialsGuard },
  ],
  exports: [AccessTokens, CredentialsGuard, IssuerModule, Principals, ProjectAccess, RequestLimits],
})
export class AuthModule {}
