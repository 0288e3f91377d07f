import { fileSettings } from './file-settings';

const NOTHING = {
  SVC_FILE_STORAGE: 'DB',
  SVC_S3_ENDPOINT: undefined,
  SVC_S3_REGION: 'us-east-1',
  SVC_S3_BUCKET: undefined,
  SVC_S3_ACCESS_KEY_ID: undefined,
  SVC_S3_SECRET_ACCESS_KEY: undefined,
  SVC_S3_FORCE_PATH_STYLE: undefined,
};
const BUCKET = { SVC_S3_BUCKET: 'millrace', SVC_S3_ACCESS_KEY_ID: 'id', SVC_S3_SECRET_ACCESS_KEY: 'secret' };

describe('the settings of files', () => {
  it('keep files in the database when nothing is said', () => {
    expect(fileSettings(NOTHING)).toEqual({ chosen: 'DB', s3: null });
  });

  it.each([
    [{}, { endpoint: undefined, forcePathStyle: false }],
    [{ SVC_S3_ENDPOINT: 'http://minio:9000' }, { endpoint: 'http://minio:9000', forcePathStyle: true }],
    [{ SVC_S3_ENDPOINT: 'http://minio:9000', SVC_S3_FORCE_PATH_STYLE: false }, { forcePathStyle: false }],
  ])('with %j beside the bucket', (more, expected) => {
    expect(fileSettings({ ...NOTHING, SVC_FILE_STORAGE: 'S3', ...BUCKET, ...more })).toMatchObject({
      chosen: 'S3',
      s3: { bucket: 'millrace', region: 'us-east-1', accessKeyId: 'id', secretAccessKey: 'secret', ...expected },
    });
  });

  it('still name the bucket where old files may be, when the database is chosen again', () => {
    expect(fileSettings({ ...NOTHING, ...BUCKET })).toMatchObject({ chosen: 'DB', s3: { bucket: 'millrace' } });
  });
});
