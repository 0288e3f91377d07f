import { Module } from '@nestjs/common';
import { UserInvitationsController } from './user-invitations.controller';
import { UserInvitationsService } from './user-invitations.service';

@Module({ controllers: [UserInvitationsController], providers: [UserInvitationsService] })
export class UserInvitationsModule {}
