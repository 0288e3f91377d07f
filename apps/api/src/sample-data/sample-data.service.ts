import { SampleDataReader, shortenValue, type JsonText, type Principal } from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { dataFor } from '../runs/hidden-requests';
import type { ListedSampleDto, SampleDataListDto, SampleDataQueryDto } from './sample-data.dto';

/** How much sample data is read for a list, and how much of it is shown, in characters of JSON. */
const MOST_READ = 16 * 1024 * 1024;
const MOST_SHOWN = 1024 * 1024;
const MOST_SHOWN_EACH = 20_000;

@Injectable()
export class SampleDataService {
  constructor(private readonly sampleData: SampleDataReader) {}

  /** Returns JSON text, because the framework would send a string without quotes, and nothing for null. */
  async read(principal: Principal, { flowId, stepName, type }: SampleDataQueryDto): Promise<JsonText> {
    if (stepName === undefined) return JSON.stringify(await this.list(principal, { flowId, type }));
    const { projectId, payload } = await this.sampleData.get(flowId, principal.projectIds, stepName, type ?? 'OUTPUT');
    return JSON.stringify(dataFor(principal, projectId, payload));
  }

  private async list(
    principal: Principal,
    { flowId, type }: Pick<SampleDataQueryDto, 'flowId' | 'type'>,
  ): Promise<SampleDataListDto> {
    const { projectId, samples } = await this.sampleData.list(flowId, principal.projectIds, MOST_READ);
    const listed = type === undefined ? samples : samples.filter((sample) => sample.type === type);
    const mostEach = Math.min(MOST_SHOWN_EACH, MOST_SHOWN / Math.max(listed.length, 1));
    return {
      data: listed.map(({ text, ...sample }): ListedSampleDto => {
        if (text === null) return { ...sample, cuts: [] };
        const { value, cuts } = shortenValue(dataFor(principal, projectId, JSON.parse(text)), mostEach);
        return { ...sample, value, cuts: [...cuts] };
      }),
    };
  }
}
