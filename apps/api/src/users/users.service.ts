import {
  Clock,
  EntityNotFoundError,
  PermissionDeniedError,
  UserRepository,
  type Page,
  type Principal,
  type User,
} from '@millrace/domain';
import { newId } from '@millrace/persistence';
import { Injectable } from '@nestjs/common';
import { hashPassword } from '../auth/passwords';
import { Principals } from '../auth/principals';
import { PLATFORM_PERMISSION } from '../auth/requires.decorator';
import { pageOf, type PagedQueryDto } from '../rest/paged-query.dto';
import type { CreateUserDto, UserDto } from './user.dto';

const NOT_BY_KEYS = 'An API key cannot make administrators of the platform.';

@Injectable()
export class UsersService {
  constructor(
    private readonly users: UserRepository,
    private readonly principals: Principals,
    private readonly clock: Clock,
  ) {}

  async read(userId: string): Promise<UserDto> {
    const user = await this.users.find(userId);
    if (!user) throw new EntityNotFoundError('user', userId);
    return shown(user);
  }

  async list(query: PagedQueryDto): Promise<Page<UserDto>> {
    const page = await this.users.list(pageOf(query));
    return { ...page, data: page.data.map(shown) };
  }

  /** A key makes no administrator, who would outlive it. */
  async create(principal: Principal, { email, password, ...rest }: CreateUserDto): Promise<UserDto> {
    const platformRole = rest.platformRole ?? 'MEMBER';
    if (platformRole === 'ADMIN' && principal.kind === 'api_key')
      throw new PermissionDeniedError(PLATFORM_PERMISSION, undefined, NOT_BY_KEYS);
    const { firstName, lastName } = rest;
    const passwordHash = await hashPassword(password);
    const created = this.clock.now();
    const user: User = { id: newId(), email, firstName, lastName, platformRole, passwordHash, created };
    await this.users.insert(user);
    return shown(user);
  }

  async delete(userId: string): Promise<void> {
    await this.users.delete(userId, this.clock.now());
    this.principals.forgetKeys();
  }
}

/** Leaves out the hash of the password, which clients must not see. */
const shown = ({ id, email, firstName, lastName, platformRole, created }: User): UserDto => ({
  id,
  email,
  firstName,
  lastName,
  platformRole,
  created,
});
