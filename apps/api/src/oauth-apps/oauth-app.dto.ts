import { ApiProperty } from '@nestjs/swagger';
import { IsOptional, IsString, Length } from 'class-validator';

const MAX_NAME = 214;
const MAX_TEXT = 4_000;

export class OAuthAppPieceDto {
  /** The name of the piece. */
  @ApiProperty({ example: '@activepieces/piece-slack' })
  @IsString()
  @Length(1, MAX_NAME)
  pieceName: string;
}

export class UpsertOAuthAppDto extends OAuthAppPieceDto {
  /** The id that the provider gave to the app. */
  @ApiProperty({ example: '1234567890.0987654321' })
  @IsString()
  @Length(1, MAX_TEXT)
  clientId: string;

  /** It is stored encrypted, and never answered again. */
  @IsString()
  @Length(1, MAX_TEXT)
  clientSecret: string;

  /** By it the piece verifies the events that the provider sends to `webhookUrl`. Without it none is accepted. */
  @IsOptional()
  @IsString()
  @Length(1, MAX_TEXT)
  webhookSecret?: string | null;
}

/** An app without its secrets. */
export class OAuthAppDto {
  id: string;

  @ApiProperty({ example: '@activepieces/piece-slack' })
  pieceName: string;

  @ApiProperty({ example: '1234567890.0987654321' })
  clientId: string;

  /** Whether the secret is known by which the piece verifies events. */
  hasWebhookSecret: boolean;

  /** Where the provider sends the events of the app. */
  @ApiProperty({ example: 'https://flows.example.com/api/v1/app-events/@activepieces%2Fpiece-slack' })
  webhookUrl: string;

  created: Date;
  updated: Date;
}

export class OAuthAppListDto {
  /** By the names of their pieces. */
  data: OAuthAppDto[];
}
