import { ApiProperty } from '@nestjs/swagger';
import { IsString, Matches, MaxLength } from 'class-validator';
import { LONGEST_SUBJECT, SUBJECT } from '../issuer/issuer-tokens';

export class LinkIdentityDto {
  /** The subject (`sub`) of the access tokens that the configured issuer gives this person, or this program. */
  @IsString()
  @MaxLength(LONGEST_SUBJECT)
  @Matches(SUBJECT, { message: 'must be printable ASCII.' })
  subject: string;
}

export class UserIdentityDto {
  /** Null when no identity is linked. */
  @ApiProperty({ type: String, nullable: true })
  issuer: string | null;

  /** Null when no identity is linked. */
  @ApiProperty({ type: String, nullable: true })
  subject: string | null;
}
