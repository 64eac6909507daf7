/**
 * What the SDK's chain of credential providers is replaced by in a bundle: the environment alone, where
 * Lambda puts the credentials of its role and Azure's settings those for DynamoDB. The rest of the chain
 * (profiles, single sign-on, instance metadata) is not for functions, and is 40 % of the bundle.
 *
 * @module
 */
export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';
