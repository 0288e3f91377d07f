export { AsItCame } from './requests/as-it-came.decorator';
export {
  BodyLimits,
  DEFAULT_BODY_LIMIT,
  TakesFiles,
  TakesForms,
  type BodyLimit,
  type RouteBodyLimit,
} from './bodies/route-bodies.decorator';
export { DomainErrorFilter } from './errors/domain-error.filter';
export { errorAnswer, frameworkAnswer, STATUS_OF_CODE, type ErrorAnswer, type ErrorBody } from './errors/error-answer';
export { HealthModule } from './health/health.module';
export { amount, count, httpEnv, port, publicUrl, shutdownEnv, type HttpSettings } from './settings/http.env';
export { createHttpApp, type HttpAppOptions } from './http-app';
export { JsonLogger } from './logs/json-logger';
export { maskSecrets } from './logs/mask-secrets';
export { AddressGuard, type AddressGuardOptions } from './outbound/address-guard';
export { parseAllowList, type AllowedTarget } from './outbound/allow-list';
export { GuardedHttp, type GuardedHttpOptions } from './outbound/guarded-http';
export { NodemailerMailer } from './outbound/nodemailer-mailer';
export { outboundEnv } from './outbound/outbound.env';
export { OutboundModule } from './outbound/outbound.module';
export { Public, PUBLIC_ROUTE } from './requests/public.decorator';
export { Readiness, ReadinessChecks, type ReadinessCheck, type ReadinessReport } from './health/readiness';
export { RequestValidationPipe } from './requests/request-validation.pipe';
export { closeOnSignal, DRAIN_MS, runApp } from './run-app';
export { isKnownSetting } from './settings/setting-names';
export { encryptionKey, secret } from './settings/secrets.env';
export { askForBody, closeAfterAnswer } from './bodies/unread-bodies';
export { EXIT_WRONG_SETTINGS, readSettings, SettingsError } from './settings/settings';
