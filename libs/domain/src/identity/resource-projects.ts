import type { EntityType } from '../errors/entity-not-found.error';

/** Tells to which project something belongs, whoever asks. Callers must not be told of projects they cannot see. */
export abstract class ResourceProjects {
  /** Returns null for an unknown id, and for a type that belongs to no project by itself. */
  abstract projectOf(type: EntityType, id: string): Promise<string | null>;
}
