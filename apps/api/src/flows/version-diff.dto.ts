import type { FlowStep, PlaceInVersion } from '@millrace/domain';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

const STEP_TYPES: FlowStep['type'][] = ['EMPTY', 'PIECE_TRIGGER', 'PIECE', 'CODE', 'LOOP_ON_ITEMS', 'ROUTER'];

export class RenamedDto {
  from: string;
  to: string;
}

/** The place of a step in a version. */
export class PlaceInVersionDto {
  /**
   * The name of the step before it. For the first step inside a loop or branch, the name of the loop or router around
   * it.
   */
  @ApiProperty({ example: 'trigger' })
  parentStep: string;

  @ApiProperty({ enum: ['AFTER', 'INSIDE_LOOP', 'INSIDE_BRANCH'] })
  position: PlaceInVersion['position'];

  /** The index of the branch, counted from 0. Only `INSIDE_BRANCH` has it. */
  branchIndex?: number;
}

export class StepAtLocationDto {
  @ApiProperty({ example: 'step_1' })
  name: string;

  displayName: string;

  @ApiProperty({ enum: STEP_TYPES })
  type: FlowStep['type'];

  location: PlaceInVersionDto;
}

export class MovedStepDto {
  @ApiProperty({ example: 'step_1' })
  name: string;

  from: PlaceInVersionDto;
  to: PlaceInVersionDto;
}

export class ChangedStepDto {
  @ApiProperty({ example: 'step_1' })
  name: string;

  displayName: string;

  /** JSON pointers to the parts of the step that differ. */
  @ApiProperty({ example: ['/settings/input/url'] })
  paths: string[];
}

/** The ids of the notes that differ. */
export class NotesDiffDto {
  added: string[];
  removed: string[];
  changed: string[];
}

export class StepsDiffDto {
  added: StepAtLocationDto[];
  removed: StepAtLocationDto[];
  moved: MovedStepDto[];
  changed: ChangedStepDto[];
}

/** The differences between two versions. */
export class VersionDiffDto {
  /** Present when the name was changed. */
  @ApiPropertyOptional({ type: RenamedDto })
  displayName?: RenamedDto;

  notes: NotesDiffDto;
  steps: StepsDiffDto;
}
