import { Public } from '@millrace/http';
import { Body, Controller, HttpCode, Ip, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AuthenticationService } from './authentication.service';
import { SignedInDto, SignInDto } from './sign-in.dto';

@ApiTags('authentication')
@Controller('api/v1/authentication')
export class AuthenticationController {
  constructor(private readonly authentication: AuthenticationService) {}

  /** Answers an access token for an e-mail address and a password. */
  @Public()
  @Post('sign-in')
  @HttpCode(200)
  signIn(@Body() body: SignInDto, @Ip() address: string): Promise<SignedInDto> {
    return this.authentication.signIn(body.email, body.password, address);
  }
}
