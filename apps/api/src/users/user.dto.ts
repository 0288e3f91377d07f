import { IsIn } from 'class-validator';
import { NewUserDto } from '../auth/sign-in.dto';
import { MayBeLeftOut } from '../rest/may-be-left-out.decorator';
import { PageDto } from '../rest/page.dto';

const PLATFORM_ROLES = ['ADMIN', 'MEMBER'] as const;

export class CreateUserDto extends NewUserDto {
  /** Default: `MEMBER`. An API key makes no administrators. */
  @MayBeLeftOut()
  @IsIn(PLATFORM_ROLES)
  platformRole?: 'ADMIN' | 'MEMBER';
}

export class UserDto {
  id: string;
  email: string;
  firstName: string;
  lastName: string;
  platformRole: 'ADMIN' | 'MEMBER';
  created: Date;
}

export class UserPageDto extends PageDto {
  data: UserDto[];
}
