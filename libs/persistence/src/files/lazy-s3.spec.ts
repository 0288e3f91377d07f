import { aNewFile } from '@millrace/domain/testing';
import { S3FileStorage } from './s3-file-storage';

jest.mock('@aws-sdk/client-s3', () => {
  throw new Error('the S3 client is loaded');
});

describe('the S3 client', () => {
  const settings = {
    endpoint: undefined,
    region: 'us-east-1',
    bucket: 'files',
    accessKeyId: 'id',
    secretAccessKey: 'secret',
    forcePathStyle: false,
  };

  it('is loaded with the first request and not before', async () => {
    const storage = new S3FileStorage(settings);

    await expect(storage.open(aNewFile())).rejects.toThrow('the S3 client is loaded');
  });
});
