export class InstallationDto {
  /** The version of the service. */
  version: string;
  /** The base URL as callers see it. */
  publicUrl: string;
  /** Whether people can sign up without an invitation. The first user always can. */
  signUpEnabled: boolean;
}
