import {
  PieceCatalogue,
  PrincipalNames,
  type FlowSummary,
  type FlowVersionSummary,
  type Page,
  type PieceRef,
  type VersionContents,
} from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { withoutInnerFields } from './flow-answer';
import type { FlowVersionPageDto, FlowVersionSummaryDto } from './flow-version.dto';
import type { FlowPageDto } from './flow.dto';

type Names = ReadonlyMap<string, string>;

/** Shows lists of flows and versions to clients. They name people, with one query for all of a page. */
@Injectable()
export class ShownFlows {
  constructor(
    private readonly pieces: PieceCatalogue,
    private readonly names: PrincipalNames,
  ) {}

  async flows({ data, ...cursors }: Page<FlowSummary>): Promise<FlowPageDto> {
    await this.pieces.know(data.flatMap(({ version }) => pieceIn(version)));
    const names = await this.names.find(data.flatMap(({ ownerId, version }) => [ownerId, ...makersOf(version)]));
    return {
      ...cursors,
      data: data.map(({ version, ...flow }) => ({
        ...withoutInnerFields(flow),
        ownerName: names.get(flow.ownerId) ?? null,
        version: this.named(version, names),
      })),
    };
  }

  async versions({ data, ...cursors }: Page<FlowVersionSummary>): Promise<FlowVersionPageDto> {
    await this.pieces.know(data.flatMap(pieceIn));
    const names = await this.names.find(data.flatMap(makersOf));
    return { ...cursors, data: data.map((version) => this.named(version, names)) };
  }

  private named({ contents, published, ...version }: FlowVersionSummary, names: Names): FlowVersionSummaryDto {
    return {
      ...version,
      updatedByName: names.get(version.updatedBy) ?? null,
      triggerType: this.kindOf(contents.trigger),
      pieceNames: [...contents.pieceNames],
      stepsCount: contents.stepsCount,
      publishedAt: published?.at ?? null,
      publishedBy: published?.by ?? null,
      publishedByName: (published && names.get(published.by)) ?? null,
      publishNote: published?.note ?? null,
    };
  }

  private kindOf(trigger: VersionContents['trigger']): FlowVersionSummaryDto['triggerType'] {
    if (trigger === null) return null;
    const { pieceName, pieceVersion, triggerName } = trigger;
    return this.pieces.findTrigger(pieceName, pieceVersion, triggerName)?.resultType ?? null;
  }
}

const makersOf = ({ updatedBy, published }: FlowVersionSummary): (string | undefined)[] => [updatedBy, published?.by];

const pieceIn = ({ contents: { trigger } }: FlowVersionSummary): PieceRef[] =>
  trigger ? [{ name: trigger.pieceName, version: trigger.pieceVersion }] : [];
