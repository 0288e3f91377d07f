import { SetMetadata } from '@nestjs/common';

export const PUBLIC_ROUTE = 'millrace:public';

/** Marks routes that can be called without credentials. All other routes need credentials. */
export const Public = (): ClassDecorator & MethodDecorator => SetMetadata(PUBLIC_ROUTE, true);
