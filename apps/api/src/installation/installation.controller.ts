import { Public, publicUrl, VERSION } from '@millrace/http';
import { UserRepository } from '@millrace/domain';
import { Controller, Get, Inject } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { API_SETTINGS, type ApiSettings } from '../settings/config';
import { InstallationDto } from './installation.dto';

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
    };
  }
}
