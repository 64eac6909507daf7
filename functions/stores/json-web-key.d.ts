import type { webcrypto } from 'node:crypto';

// The types of @azure/identity expect a browser's global; Node has the same type under another name.
declare global {
  interface JsonWebKey extends webcrypto.JsonWebKey {}
}
