import { EntityNotFoundError, UserRepository } from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import type { UserDto } from './user.dto';

@Injectable()
export class UsersService {
  constructor(private readonly users: UserRepository) {}

  async read(userId: string): Promise<UserDto> {
    const user = await this.users.find(userId);
    if (!user) throw new EntityNotFoundError('user', userId);
    const { passwordHash: _passwordHash, ...shown } = user;
    return shown;
  }
}
