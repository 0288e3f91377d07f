import { Injectable } from '@nestjs/common';
import { EntityExistsError, isId, UserRepository, type User } from '@millrace/domain';
import { DataSource, Raw } from 'typeorm';
import { isUniqueViolation } from '../postgres/postgres-failure';
import { UserEntity } from './user.entity';

@Injectable()
export class PostgresUserRepository extends UserRepository {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  async insert(user: User): Promise<void> {
    try {
      await this.users.insert(user);
    } catch (error) {
      throw isUniqueViolation(error) ? new EntityExistsError('user', 'email') : error;
    }
  }

  findByEmail(email: string): Promise<User | null> {
    if (email.includes('\0')) return Promise.resolve(null);
    return this.users.findOneBy({ email: Raw((column) => `lower(${column}) = lower(:email)`, { email }) });
  }

  async find(userId: string): Promise<User | null> {
    return isId(userId) ? this.users.findOneBy({ id: userId }) : null;
  }

  private get users() {
    return this.dataSource.getRepository(UserEntity);
  }
}
