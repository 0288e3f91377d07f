import { Public, publicUrl, VERSION } from '@millrace/http';
import { UserRepository } from '@millrace/domain';
import { Controller, Get, Inject } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { API_SETTINGS, retentionDays, type ApiSettings } from '../settings/config';
import { InstallationDto, type RetentionDto } from './installation.dto';

@ApiTags('installation')
@Controller('api/v1/installation')
export class InstallationController {
  constructor(
    @Inject(API_SETTINGS) private readonly settings: ApiSettings,
    private readonly users: UserRepository,
  ) {}

  /** Tells what everyone may know of the service, before they sign in. */
  @Public()
  @Get()
  async read(): Promise<InstallationDto> {
    return {
      version: VERSION,
      publicUrl: publicUrl(this.settings),
      signUpEnabled: this.settings.SVC_SIGN_UP_ENABLED || !(await this.users.existAny()),
      issuerEnabled: this.settings.SVC_OAUTH_ISSUER !== undefined,
      queueBoardEnabled: this.settings.SVC_QUEUE_UI_ENABLED,
      piecePackages: this.settings.SVC_PIECE_PACKAGES,
      retention: this.retention(),
      limits: {
        runSeconds: this.settings.SVC_FLOW_TIMEOUT_SECONDS,
        enabledFlows: this.settings.SVC_ACTIVE_FLOWS_LIMIT ?? null,
      },
    };
  }

  private retention(): RetentionDto {
    const { SVC_RUN_RETENTION_DAYS: runDays, SVC_AUDIT_RETENTION_DAYS: auditDays } = this.settings;
    return {
      stepDataDays: retentionDays(this.settings),
      runDays: daysOrEver(runDays),
      auditDays: daysOrEver(auditDays),
    };
  }
}

/** The settings say 0 for what is kept for ever. */
const daysOrEver = (days: number): number | null => (days === 0 ? null : days);
