/** Name of the lease that the schedulers stand for. */
export const leaseName = 'billing-scheduler';

/** An emulator asks for credentials and checks none. */
export const emulatorAccess = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
};
