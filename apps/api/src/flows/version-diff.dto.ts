import type { FlowStep, PlaceInVersion } from '@millrace/domain';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

const STEP_TYPES: FlowStep['type'][] = ['EMPTY', 'PIECE_TRIGGER', 'PIECE', 'CODE', 'LOOP_ON_ITEMS', 'ROUTER'];

export class RenamedDto {
  from: string;
  to: string;
}

/** Where a step stands. */
export class PlaceInVersionDto {
  /** The step before it, or the loop or router around it when it is the first there. */
  @ApiProperty({ example: 'trigger' })
  parentStep: string;

  @ApiProperty({ enum: ['AFTER', 'INSIDE_LOOP', 'INSIDE_BRANCH'] })
  position: PlaceInVersion['position'];

  /** With `INSIDE_BRANCH`, counted from 0. */
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

  /** JSON pointers, from the step, to what differs. */
  @ApiProperty({ example: ['/settings/input/url'] })
  paths: string[];
}

/** Notes by their ids. */
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

/** What turns one version into another. */
export class VersionDiffDto {
  /** Present when the name was changed. */
  @ApiPropertyOptional({ type: RenamedDto })
  displayName?: RenamedDto;

  notes: NotesDiffDto;
  steps: StepsDiffDto;
}
