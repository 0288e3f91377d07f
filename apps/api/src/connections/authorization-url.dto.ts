import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsNotEmpty, IsObject, IsOptional, IsString, Length, MaxLength } from 'class-validator';
import { MayBeLeftOut } from '../rest/may-be-left-out.decorator';

const MAX_TEXT = 4_000;
const MAX_NAME = 214;

export class AuthorizationUrlRequestDto {
  /** The project. It may be left out when the caller has a role in only one project. */
  @IsOptional()
  @IsString()
  projectId?: string | null;

  /** Required, unless an administrator has stored an app for `pieceName`. */
  @MayBeLeftOut()
  @IsString()
  @IsNotEmpty()
  @MaxLength(MAX_TEXT)
  client_id?: string;

  /** The authorization endpoint of the provider, an http or https URL. Required without `pieceName`. */
  @MayBeLeftOut()
  @IsString()
  @Length(1, MAX_TEXT)
  authorization_url?: string;

  /** Where the provider sends the person back to, with `code` and `state`. */
  @IsString()
  @Length(1, MAX_TEXT)
  redirect_url: string;

  /** Scopes, separated by spaces. A piece has its own. */
  @MayBeLeftOut()
  @IsString()
  @MaxLength(MAX_TEXT)
  scope?: string;

  /** The package to whose provider the person signs in. It knows the endpoints, scopes and parameters. */
  @ApiPropertyOptional({ example: '@activepieces/piece-slack' })
  @MayBeLeftOut()
  @IsString()
  @Length(1, MAX_NAME)
  pieceName?: string;

  /** Its version. Without it the newest installed one is meant. */
  @MayBeLeftOut()
  @IsString()
  @Length(1, MAX_NAME)
  pieceVersion?: string;

  /** What the piece asks for before a person signs in: `auth.signIn.props` of its description. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: true, example: { subdomain: 'acme' } })
  @MayBeLeftOut()
  @IsObject()
  props?: Record<string, unknown>;
}

export class AuthorizationUrlDto {
  /** Where the person gives consent. It is valid for 15 minutes. */
  authorizationUrl: string;
  /** Goes into the value of the connection, with the code. It is used once, by who asked for it. */
  state: string;
}
