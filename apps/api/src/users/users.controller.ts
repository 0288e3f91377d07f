import type { Principal } from '@millrace/domain';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/current-principal.decorator';
import { RequiresCredentials, RequiresPlatformAdministrator } from '../auth/requires.decorator';
import { PagedQueryDto } from '../rest/paged-query.dto';
import { CreateUserDto, UserDto, UserPageDto } from './user.dto';
import { UsersService } from './users.service';

@ApiTags('users')
@ApiBearerAuth()
@Controller('api/v1/users')
export class UsersController {
  constructor(private readonly users: UsersService) {}

  /** Reads the user who makes the request. For an API key, the user who created the key. */
  @RequiresCredentials()
  @Get('me')
  me(@CurrentPrincipal() principal: Principal): Promise<UserDto> {
    return this.users.read(principal.userId);
  }

  /** Lists all users, newest first. Only administrators of the platform can. */
  @RequiresPlatformAdministrator()
  @Get()
  list(@Query() query: PagedQueryDto): Promise<UserPageDto> {
    return this.users.list(query);
  }

  /** Makes a user. Only administrators of the platform can. */
  @RequiresPlatformAdministrator()
  @Post()
  create(@CurrentPrincipal() principal: Principal, @Body() body: CreateUserDto): Promise<UserDto> {
    return this.users.create(principal, body);
  }

  /**
   * Deletes a user: what is known of the person, the memberships, the sessions, and the keys that the user has made.
   * Only administrators of the platform can. A project whose only ADMIN this is needs another one first, or is deleted
   * first.
   */
  @RequiresPlatformAdministrator()
  @Delete(':id')
  @HttpCode(204)
  delete(@Param('id') id: string): Promise<void> {
    return this.users.delete(id);
  }
}
