import { makeValidator } from 'envalid';

const postgresUrl = makeValidator<string>((text) => {
  if (/^postgres(ql)?:\/\/[^/]+\/[^/]+/.test(text) && URL.canParse(text)) return text;
  throw new Error('must look like postgres://user:password@host:5432/database');
});

/** The settings of this library. Each app includes them in its own settings. */
export const postgresEnv = {
  SVC_DATABASE_URL: postgresUrl({ desc: 'The PostgreSQL database that holds flows, runs and journals' }),
};
