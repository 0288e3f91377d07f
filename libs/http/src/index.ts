export { AsItCame } from './requests/as-it-came.decorator';
export {
  BodyLimits,
  DEFAULT_BODY_LIMIT,
  TakesFiles,
  TakesForms,
  type BodyLimit,
  type RouteBodyLimit,
} from './bodies/route-bodies.decorator';
export { errorAnswer, STATUS_OF_CODE } from './errors/error-answer';
export { HealthModule } from './health/health.module';
export {
  amount,
  count,
  httpEnv,
  httpUrl,
  origins,
  port,
  publicUrl,
  shutdownEnv,
  type HttpSettings,
} from './settings/http.env';
export { createHttpApp } from './http-app';
export { AddressGuard } from './outbound/address-guard';
export { parseAllowList } from './outbound/allow-list';
export { GuardedHttp } from './outbound/guarded-http';
export { NodemailerMailer } from './outbound/nodemailer-mailer';
export { OperatorHttp } from './outbound/operator-http';
export { outboundEnv } from './outbound/outbound.env';
export { OutboundModule } from './outbound/outbound.module';
export { networkOf, trustedProxies } from './requests/client-address';
export { MayBeAbsent } from './requests/may-be-absent.decorator';
export { Public, PUBLIC_ROUTE } from './requests/public.decorator';
export { ReadinessChecks } from './health/readiness';
export { RequestValidationPipe } from './requests/request-validation.pipe';
export { refuseWebSocket, takeOnlyWebSockets } from './requests/upgrades';
export { UnreadInputInterceptor } from './requests/unread-input.interceptor';
export { closeOnSignal, DRAIN_MS, runApp } from './run-app';
export { isKnownSetting } from './settings/setting-names';
export { encryptionEnv, encryptionKey, secret, webhookKeyEnv, workerTokenEnv } from './settings/secrets.env';
export { askForBody, closeAfterAnswer } from './bodies/unread-bodies';
export { readSettings, SettingsError } from './settings/settings';
export { VERSION } from './version';
