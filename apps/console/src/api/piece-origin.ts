import type { Schemas } from './client';

/** Whether it is an installed package. Other pieces come with the service, in one version. */
export const isPackage = ({ category }: Pick<Schemas['Piece'], 'category'>): boolean => category === 'APPS';

type TriggerType =
  | Schemas['Piece']['triggers'][string]['triggerType']
  | Schemas['CataloguedPiece']['triggers'][string]['type'];

/** Whether flows can have triggers of this type that belong to packages. */
export const isUsable = (type: TriggerType): boolean => type !== 'MANUAL';
