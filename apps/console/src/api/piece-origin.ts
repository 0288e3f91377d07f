import type { Schemas } from './client';

/** Whether it is an installed package. Other pieces come with the service, in one version. */
export const isPackage = ({ category }: Pick<Schemas['Piece'], 'category'>): boolean => category === 'APPS';
