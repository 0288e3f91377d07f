import { MayBeAbsent } from '@millrace/http';
import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsNotEmpty, IsOptional, IsString, Length, MaxLength } from 'class-validator';
import { IsDisplayName } from '../rest/display-name.decorator';
import { IsEmailAddress } from '../rest/email-address.decorator';
import { MayBeLeftOut } from '../rest/may-be-left-out.decorator';

const MAX_EMAIL_LENGTH = 320;
const MAX_TOKEN_LENGTH = 200;

/** How a client keeps the refresh token: in the answer's body, or in a cookie that pages cannot read. */
const SESSION_KINDS = ['token', 'cookie'] as const;
export type SessionKind = (typeof SESSION_KINDS)[number];

export class NewSessionDto {
  /**
   * With `cookie` the refresh token comes in a cookie for `/api/v1/authentication` that pages cannot read, and
   * `refreshToken` is null. Default: `token`.
   */
  @MayBeLeftOut()
  @IsIn(SESSION_KINDS)
  session?: SessionKind;
}

export class SignInDto extends NewSessionDto {
  /** The user's e-mail address. Upper and lower case are equal. */
  @IsString()
  @IsNotEmpty()
  @MaxLength(MAX_EMAIL_LENGTH)
  email: string;

  @IsString()
  @IsNotEmpty()
  @MaxLength(128)
  password: string;
}

/** What a new user is made of. */
export class NewUserDto {
  @IsEmailAddress()
  email: string;

  @IsString()
  @Length(8, 128)
  password: string;

  @IsDisplayName()
  firstName: string;

  @IsDisplayName()
  lastName: string;
}

export class SignUpDto extends NewUserDto {
  @MayBeLeftOut()
  @IsIn(SESSION_KINDS)
  session?: SessionKind;

  /** The token of an invitation to a project, which must be for the same address. */
  @IsOptional()
  @IsString()
  @MaxLength(MAX_TOKEN_LENGTH)
  invitationToken?: string | null;
}

/** The refresh token; a client whose token is in a cookie leaves it out, or the body as a whole. */
@MayBeAbsent()
export class RefreshTokenDto {
  @IsOptional()
  @IsString()
  @MaxLength(MAX_TOKEN_LENGTH)
  refreshToken?: string | null;
}

export class SignedInDto {
  id: string;
  email: string;
  firstName: string;
  lastName: string;
  platformRole: 'ADMIN' | 'MEMBER';
  /** The user's oldest project; null when the user has none. */
  projectId: string | null;
  /** An access token, valid for 15 minutes. */
  token: string;
  /** Exchanged for new tokens once, within 30 days; null when it is in a cookie. */
  @ApiProperty({ type: 'string', nullable: true })
  refreshToken: string | null;
}
