import { IsNotEmpty, IsString, MaxLength } from 'class-validator';

export class SignInDto {
  /** The user's e-mail address; case does not matter. */
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
  /** The user's oldest project. */
  projectId: string | null;
  /** An access token, good for 15 minutes. */
  token: string;
}
