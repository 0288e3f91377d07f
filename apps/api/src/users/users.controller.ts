import type { Principal } from '@millrace/domain';
import { Controller, Get } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/current-principal.decorator';
import { RequiresCredentials } from '../auth/requires.decorator';
import { UserDto } from './user.dto';
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
}
