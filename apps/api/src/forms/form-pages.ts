import { Injectable } from '@nestjs/common';
import { PagesForPeople } from '../human-input/pages-for-people';
import { FormsService } from './forms.service';

/** The pages of the forms that start runs. */
@Injectable()
export class FormPages extends PagesForPeople {
  constructor(private readonly forms: FormsService) {
    super();
  }

  protected override asked({ flowId = '' }: Readonly<Record<string, string>>) {
    return this.forms.open(flowId);
  }
}
