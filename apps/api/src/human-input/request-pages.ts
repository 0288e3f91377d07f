import { Injectable } from '@nestjs/common';
import { PagesForPeople } from './pages-for-people';
import { ResumeService } from './resume.service';

/** The pages behind the link of a request. */
@Injectable()
export class RequestPages extends PagesForPeople {
  constructor(private readonly resuming: ResumeService) {
    super();
  }

  protected override asked({ id = '', requestId = '' }: Readonly<Record<string, string>>) {
    return this.resuming.open(id, requestId);
  }
}
