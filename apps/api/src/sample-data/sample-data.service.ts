import { SampleDataReader, type JsonText, type Principal } from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import type { SampleDataQueryDto } from './sample-data.dto';

@Injectable()
export class SampleDataService {
  constructor(private readonly sampleData: SampleDataReader) {}

  /** Returns JSON text, because the framework would send a string without quotes, and nothing for null. */
  async read(principal: Principal, { flowId, stepName, type }: SampleDataQueryDto): Promise<JsonText> {
    return JSON.stringify(await this.sampleData.get(flowId, principal.projectIds, stepName, type));
  }
}
