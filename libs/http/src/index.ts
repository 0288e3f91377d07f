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
export { answerProbesWhile } from './health/probes-at-start';
export { publicUrl, type HttpSettings } from './http-settings';
export { createHttpApp } from './http-app';
export { AddressGuard } from './outbound/address-guard';
export { GuardedHttp } from './outbound/guarded-http';
export { refuseUnread } from './errors/refuse-unread';
export { RefusedAnswers, type CountedApart } from './errors/refused-answers';
export { noteTrace } from './logs/log-context';
export { maskSecrets } from './logs/mask-secrets';
export { NodemailerMailer } from './outbound/nodemailer-mailer';
export { OperatorHttp } from './outbound/operator-http';
export { OutboundModule } from './outbound/outbound.module';
export { networkOf, trustedProxies } from './requests/client-address';
export { MayBeAbsent } from './requests/may-be-absent.decorator';
export { Public, PUBLIC_ROUTE } from './requests/public.decorator';
export { ReadinessChecks } from './health/readiness';
export { RequestValidationPipe } from './requests/request-validation.pipe';
export { endConnection, refuseWebSocket, takeOnlyWebSockets } from './requests/upgrades';
export { IgnoresQuery, UnreadInputInterceptor } from './requests/unread-input.interceptor';
export { lowerPriority } from './lower-priority';
export { closeOnSignal, endStartOnSignal, DRAIN_MS, listen, runApp, type App } from './run-app';
export { askForBody, closeAfterAnswer } from './bodies/unread-bodies';
export { startLog } from './start-log';
export { startTracing } from './tracing/start-tracing';
export { Span, Tracing, type NewSpan, type TraceHeaders } from './tracing/tracing';
export { VERSION } from './version/version';
