import { Body, Controller, Delete, Get, HttpCode, Post, Query, UseInterceptors } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { RequiresPlatformAdministrator } from '../auth/requires.decorator';
import { UpsertAnswer, type Upserted } from '../rest/upsert-answer';
import { OAuthAppDto, OAuthAppListDto, OAuthAppPieceDto, UpsertOAuthAppDto } from './oauth-app.dto';
import { OAuthAppsService } from './oauth-apps.service';

@ApiTags('oauth apps')
@ApiBearerAuth()
@RequiresPlatformAdministrator()
@Controller('api/v1/oauth-apps')
export class OAuthAppsController {
  constructor(private readonly apps: OAuthAppsService) {}

  /** Lists the apps, without their secrets. */
  @Get()
  list(): Promise<OAuthAppListDto> {
    return this.apps.list();
  }

  /** Stores the app that was registered with the provider of a piece, or replaces it with its secrets. */
  @Post()
  @UseInterceptors(UpsertAnswer)
  @ApiCreatedResponse({ type: OAuthAppDto, description: 'The app was stored.' })
  @ApiOkResponse({ type: OAuthAppDto, description: 'The app was replaced.' })
  upsert(@Body() body: UpsertOAuthAppDto): Promise<Upserted<OAuthAppDto>> {
    return this.apps.upsert(body);
  }

  /** Deletes the app of a piece. Connections that were made with it go on. */
  @Delete()
  @HttpCode(204)
  delete(@Query() query: OAuthAppPieceDto): Promise<void> {
    return this.apps.delete(query.pieceName);
  }
}
