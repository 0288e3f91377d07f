export { AnswerContract, type OpenApiDocument } from './answer-contract';
export { ApiProcess, endOfWorker, GatewayProcess, runApiCommand, secretsIn } from './service-app';
export { freePort } from './free-port';
export { ownDatabase, type OwnDatabase } from './own-database';
export { ownRedisUrl } from './own-redis';
export { patience } from './service-environment';
export { serviceUnderTest, type ServiceUnderTest } from './service-under-test';
export { ServiceClient, type Answer, type RunAnswer } from './service-client';
export { ServiceProcess } from './service-process';
