import { bool, EnvError, makeValidator, str } from 'envalid';
import type { StorageName } from './file-storage';
import type { S3Settings } from './s3-file-storage';

const httpUrl = makeValidator<string>((text) => {
  const protocol = URL.canParse(text) ? new URL(text).protocol : '';
  if (protocol === 'http:' || protocol === 'https:') return text;
  throw new EnvError('must be an http or https URL');
});

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

const bucketName = makeValidator<string>((text) => {
  if (BUCKET.test(text)) return text;
  throw new EnvError('must be 3 to 63 characters of a-z, 0-9, dot and hyphen');
});

const needsS3 = (env: Record<string, unknown>): boolean => env['SVC_FILE_STORAGE'] === 'S3';

/** The settings of the storage of files. Each app includes them in its own settings. */
export const filesEnv = {
  SVC_FILE_STORAGE: str({ choices: ['DB', 'S3'], default: 'DB', desc: 'where new files are kept' }),
  SVC_S3_ENDPOINT: httpUrl({ default: undefined, desc: "the S3 server; without it Amazon's" }),
  SVC_S3_REGION: str({ default: 'us-east-1', desc: 'the region of the bucket' }),
  SVC_S3_BUCKET: bucketName({ default: undefined, requiredWhen: needsS3, desc: 'the bucket that files are kept in' }),
  SVC_S3_ACCESS_KEY_ID: str({ default: undefined, requiredWhen: needsS3, desc: 'who reads and writes the bucket' }),
  SVC_S3_SECRET_ACCESS_KEY: str({ default: undefined, requiredWhen: needsS3, desc: 'the secret of the access key' }),
  SVC_S3_FORCE_PATH_STYLE: bool({
    default: undefined,
    desc: 'whether the bucket is in the path; without it, where an endpoint is set',
  }),
};

/** The class is also the token of these settings. */
export abstract class FileSettings {
  /** The storage of new files. */
  abstract readonly chosen: StorageName;
  /** Set when a bucket is configured, even if `chosen` is DB: old files may be in the bucket. */
  abstract readonly s3: S3Settings | null;
}

/** Translates the names of the environment into those of this library. */
export function fileSettings(env: {
  SVC_FILE_STORAGE: string;
  SVC_S3_ENDPOINT: string | undefined;
  SVC_S3_REGION: string;
  SVC_S3_BUCKET: string | undefined;
  SVC_S3_ACCESS_KEY_ID: string | undefined;
  SVC_S3_SECRET_ACCESS_KEY: string | undefined;
  SVC_S3_FORCE_PATH_STYLE: boolean | undefined;
}): FileSettings {
  const chosen = env.SVC_FILE_STORAGE === 'S3' ? 'S3' : 'DB';
  const { SVC_S3_BUCKET: bucket, SVC_S3_ACCESS_KEY_ID: accessKeyId, SVC_S3_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if (bucket === undefined || accessKeyId === undefined || secretAccessKey === undefined) return { chosen, s3: null };
  const endpoint = env.SVC_S3_ENDPOINT;
  const forcePathStyle = env.SVC_S3_FORCE_PATH_STYLE ?? endpoint !== undefined;
  return { chosen, s3: { endpoint, region: env.SVC_S3_REGION, bucket, accessKeyId, secretAccessKey, forcePathStyle } };
}
