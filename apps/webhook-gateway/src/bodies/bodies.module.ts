import { Global, Module } from '@nestjs/common';
import { BodyChecker } from './body-checker';

/** The thread that reads large bodies. It is global: there is one for all modules. */
@Global()
@Module({ providers: [BodyChecker], exports: [BodyChecker] })
export class BodiesModule {}
