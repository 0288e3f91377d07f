import type { StorageName } from './file-storage';
import type { S3Settings } from './s3-file-storage';

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
