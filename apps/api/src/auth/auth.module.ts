import { Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { JwtModule, JwtService } from '@nestjs/jwt';
import { PassportModule } from '@nestjs/passport';
import { API_SETTINGS, type ApiSettings } from '../settings/config';
import { AccessTokenGuard } from './access-token.guard';
import { AccessTokenStrategy } from './access-token.strategy';
import { AccessTokens } from './access-tokens';
import { AuthenticationController } from './authentication.controller';
import { AuthenticationService } from './authentication.service';
import { CredentialsGuard } from './credentials.guard';
import { ADMINISTRATOR_SEED, FirstAdministrator, type AdministratorSeed } from './first-administrator';
import { Principals } from './principals';
import { ProjectAccess } from './project-access';

@Global()
@Module({
  imports: [PassportModule, JwtModule.register({})],
  controllers: [AuthenticationController],
  providers: [
    AuthenticationService,
    AccessTokenStrategy,
    AccessTokenGuard,
    Principals,
    ProjectAccess,
    FirstAdministrator,
    CredentialsGuard,
    { provide: APP_GUARD, useExisting: CredentialsGuard },
    {
      provide: AccessTokens,
      inject: [JwtService, API_SETTINGS],
      useFactory: (jwt: JwtService, settings: ApiSettings) =>
        new AccessTokens(jwt, settings.SVC_JWT_SECRET, settings.SVC_JWT_PREVIOUS_SECRET),
    },
    {
      provide: ADMINISTRATOR_SEED,
      inject: [API_SETTINGS],
      useFactory: (settings: ApiSettings): AdministratorSeed => ({
        email: settings.SVC_ADMIN_EMAIL,
        password: settings.SVC_ADMIN_PASSWORD,
        apiKey: settings.SVC_ADMIN_API_KEY,
      }),
    },
  ],
  exports: [CredentialsGuard, Principals, ProjectAccess],
})
export class AuthModule {}
