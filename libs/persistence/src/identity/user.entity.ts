import type { PlatformRole } from '@millrace/domain';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('app_user')
export class UserEntity {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text')
  email: string;

  @Column('text', { name: 'first_name' })
  firstName: string;

  @Column('text', { name: 'last_name' })
  lastName: string;

  @Column('text', { name: 'platform_role' })
  platformRole: PlatformRole;

  @Column('text', { name: 'password_hash' })
  passwordHash: string;

  @Column('timestamptz')
  created: Date;

  @Column('text', { name: 'oauth_issuer', nullable: true, select: false })
  oauthIssuer?: string | null;

  @Column('text', { name: 'oauth_subject', nullable: true, select: false })
  oauthSubject?: string | null;

  @Column('timestamptz', { name: 'deleted_at', nullable: true, select: false })
  deletedAt?: Date | null;
}
