import { azureBlobKind } from './azure-kind.ts';
import type { StoreKind } from './demo-store.ts';
import { dynamoDbKind } from './dynamodb-kind.ts';
import type { StoreName } from './options.ts';

/** Every kind of store that a local run can use, by the name of the option `--store`. */
export const storeKinds: Readonly<Record<StoreName, StoreKind>> = {
  dynamodb: dynamoDbKind,
  'azure-blob': azureBlobKind,
};
