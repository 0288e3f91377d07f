import { cleanEnv } from 'envalid';
import { fileSettings, filesEnv } from './files.env';

const BUCKET = { SVC_S3_BUCKET: 'millrace', SVC_S3_ACCESS_KEY_ID: 'id', SVC_S3_SECRET_ACCESS_KEY: 'secret' };

/** Returns the settings, or the names of the wrong settings. */
function read(environment: NodeJS.ProcessEnv): unknown {
  let wrong: string[] = [];
  const parsed = cleanEnv(environment, filesEnv, { reporter: ({ errors }) => (wrong = Object.keys(errors)) });
  return wrong.length > 0 ? wrong : fileSettings(parsed);
}

describe('the settings of files', () => {
  it('keep files in the database when nothing is said', () => {
    expect(read({})).toEqual({ chosen: 'DB', s3: null });
  });

  it('need a bucket and its keys where S3 is chosen', () => {
    expect(read({ SVC_FILE_STORAGE: 'S3' })).toEqual(Object.keys(BUCKET));
    expect(read({ SVC_FILE_STORAGE: 'S3', ...BUCKET, SVC_S3_BUCKET: '' })).toEqual(['SVC_S3_BUCKET']);
    expect(read({ SVC_FILE_STORAGE: 'DISK' })).toEqual(['SVC_FILE_STORAGE']);
    expect(read({ ...BUCKET, SVC_S3_BUCKET: 'UPPER' })).toEqual(['SVC_S3_BUCKET']);
  });

  it.each([
    [{}, { endpoint: undefined, forcePathStyle: false }],
    [{ SVC_S3_ENDPOINT: 'http://minio:9000' }, { endpoint: 'http://minio:9000', forcePathStyle: true }],
    [{ SVC_S3_ENDPOINT: 'http://minio:9000', SVC_S3_FORCE_PATH_STYLE: 'false' }, { forcePathStyle: false }],
  ])('with %j beside the bucket', (more, expected) => {
    expect(read({ SVC_FILE_STORAGE: 'S3', ...BUCKET, ...more })).toMatchObject({
      chosen: 'S3',
      s3: { bucket: 'millrace', region: 'us-east-1', accessKeyId: 'id', secretAccessKey: 'secret', ...expected },
    });
  });

  it('still name the bucket where old files may be, when the database is chosen again', () => {
    expect(read(BUCKET)).toMatchObject({ chosen: 'DB', s3: { bucket: 'millrace' } });
  });
});
