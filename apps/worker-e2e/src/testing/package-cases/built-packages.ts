import { custom, secret, signedIn, type TriedPackage } from './package-case';

/** A package that is built with the packages that it needs. Its suite names what its actions do. */
export interface BuiltPackage extends TriedPackage {
  readonly actions: readonly string[];
  readonly asked: readonly string[];
}

export const S3_HOST = 'files.s3.eu-central-1.amazonaws.com';

export const BUILT = {
  amazonS3: {
    ...{ piece: 'amazon-s3', version: '0.3.1', actions: ['upload-file', 'read-file'], asked: ['connection'] },
    connection: custom({
      ...{ accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER', bucket: 'files', region: 'eu-central-1', endpoint: '' },
    }),
  },
  imageHelper: {
    ...{ piece: 'image-helper', version: '0.1.21', actions: ['convert_image_format'], asked: [] },
    connection: secret('none'),
  },
  todoist: {
    ...{ piece: 'todoist', version: '0.3.1', actions: ['create_task'], asked: ['`project_id`'] },
    ...{ connection: secret('token-todoist'), auth: signedIn },
  },
} as const satisfies Record<string, BuiltPackage>;
