import { ApiProperty } from '@nestjs/swagger';

/** How long what has ended is kept. */
export class RetentionDto {
  /** For how many days the inputs, outputs and logs of steps are kept after the end of their run. */
  @ApiProperty({ example: 30 })
  stepDataDays: number;

  /** For how many days ended runs are kept; null for ever. */
  @ApiProperty({ type: 'integer', nullable: true, example: null })
  runDays: number | null;

  /** For how many days the audit log is kept; null for ever. */
  @ApiProperty({ type: 'integer', nullable: true, example: 365 })
  auditDays: number | null;
}

export class InstallationLimitsDto {
  /** How long a run may take, in seconds. */
  @ApiProperty({ type: 'integer', example: 600 })
  runSeconds: number;

  /** How many flows of one project may be enabled; null without a limit. */
  @ApiProperty({ type: 'integer', nullable: true, example: null })
  enabledFlows: number | null;
}

export class InstallationDto {
  /** The version of the service. */
  version: string;
  /** The base URL as callers see it. */
  publicUrl: string;
  /** Whether people can sign up without an invitation. The first user always can. */
  signUpEnabled: boolean;
  /** Whether access tokens of an OAuth 2.0 issuer are taken. */
  issuerEnabled: boolean;
  /** Whether the job queues can be seen at `/admin/queues`, with a password of their own. */
  queueBoardEnabled: boolean;
  /**
   * Which packages of pieces flows may use: those of the catalogue and those that an administrator installed, only the
   * latter, or none.
   */
  @ApiProperty({ enum: ['catalogue', 'admin', 'off'] })
  piecePackages: 'catalogue' | 'admin' | 'off';
  retention: RetentionDto;
  limits: InstallationLimitsDto;
}
