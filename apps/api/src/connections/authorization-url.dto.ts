import { IsNotEmpty, IsOptional, IsString, Length, MaxLength } from 'class-validator';
import { MayBeLeftOut } from '../rest/may-be-left-out.decorator';

const MAX_TEXT = 4_000;

export class AuthorizationUrlRequestDto {
  /** The project. It may be left out when the caller has a role in only one project. */
  @IsOptional()
  @IsString()
  projectId?: string | null;

  @IsString()
  @IsNotEmpty()
  @MaxLength(MAX_TEXT)
  client_id: string;

  /** The authorization endpoint of the provider, an http or https URL. */
  @IsString()
  @Length(1, MAX_TEXT)
  authorization_url: string;

  /** Where the provider sends the person back to, with `code` and `state`. */
  @IsString()
  @Length(1, MAX_TEXT)
  redirect_url: string;

  /** Scopes, separated by spaces. */
  @MayBeLeftOut()
  @IsString()
  @MaxLength(MAX_TEXT)
  scope?: string;
}

export class AuthorizationUrlDto {
  /** Where the person gives consent. It is valid for 15 minutes. */
  authorizationUrl: string;
  /** Goes into the value of the connection, with the code. It is used once, by who asked for it. */
  state: string;
}
