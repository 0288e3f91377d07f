import { Module } from '@nestjs/common';
import { UserIdentityController } from './user-identity.controller';
import { UserIdentityService } from './user-identity.service';
import { UsersController } from './users.controller';
import { UsersService } from './users.service';

@Module({ controllers: [UsersController, UserIdentityController], providers: [UsersService, UserIdentityService] })
export class UsersModule {}
