import { IsNotEmpty, IsString, MaxLength } from 'class-validator';

export class SignInDto {
  /** The user's e-mail address. Upper and lower case are equal. */
  @IsString()
  @IsNotEmpty()
  @MaxLength(320)
  email: string;

  @IsString()
  @IsNotEmpty()
  @MaxLength(128)
  password: string;
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
}
