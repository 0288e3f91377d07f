import type { Principal } from '@millrace/domain';
import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/current-principal.decorator';
import { RequiresPlatformAdministrator } from '../auth/requires.decorator';
import { LinkIdentityDto, UserIdentityDto } from './user-identity.dto';
import { UserIdentityService } from './user-identity.service';

@ApiTags('users')
@ApiBearerAuth()
@Controller('api/v1/users/:id/identity')
export class UserIdentityController {
  constructor(private readonly identities: UserIdentityService) {}

  /** Reads which identity of an issuer of OAuth 2.0 access tokens is linked to a user. */
  @RequiresPlatformAdministrator()
  @Get()
  read(@Param('id') id: string): Promise<UserIdentityDto> {
    return this.identities.read(id);
  }

  /**
   * Links an identity of the configured issuer to a user, in place of the one before: access tokens with this subject
   * are the user's from then on. An API key links none to an administrator of the platform.
   */
  @RequiresPlatformAdministrator()
  @Post()
  link(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Body() body: LinkIdentityDto,
  ): Promise<UserIdentityDto> {
    return this.identities.link(principal, id, body.subject);
  }

  /**
   * Unlinks the identity of a user. Its access tokens are refused from then on, unless the issuer has verified that the
   * address of the user is theirs: then they are linked again.
   */
  @RequiresPlatformAdministrator()
  @Delete()
  @HttpCode(204)
  unlink(@Param('id') id: string): Promise<void> {
    return this.identities.unlink(id);
  }
}
