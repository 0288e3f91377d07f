import { SetMetadata } from '@nestjs/common';

export const PUBLIC_ROUTE = 'millrace:public';

/** Marks what may be called without credentials; everything else needs them. */
export const Public = (): ClassDecorator & MethodDecorator => SetMetadata(PUBLIC_ROUTE, true);
