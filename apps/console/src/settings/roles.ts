import type { Schemas } from '../api/client';
import { roleWords } from './words';

export type Role = Schemas['ProjectMember']['role'];

/** The roles, from the one that may do least. */
export const ROLES = ['VIEWER', 'OPERATOR', 'EDITOR', 'ADMIN'] as const satisfies Role[];

/** The roles to choose from, each with what it may do. */
export const ROLE_CHOICES = ROLES.map((role) => ({ value: role, label: roleWords.choices[role] }));
