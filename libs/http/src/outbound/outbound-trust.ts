import { WrongSettingError } from '@millrace/domain';
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';

/** The certificate authorities that outbound calls trust. The class is also the token. */
export abstract class OutboundTrust {
  /** It is missing where calls trust the authorities of Node.js. */
  abstract readonly secureContext?: SecureContext;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Trusts the public authorities and those in a PEM file. Throws WrongSettingError when the file has none. */
export function trustInFile(path: string | undefined): OutboundTrust {
  if (path === undefined) return {};
  const certificates = readPem(path).match(CERTIFICATE) ?? [];
  if (certificates.length === 0)
    throw new WrongSettingError(`SVC_OUTBOUND_CA_FILE is wrong: ${path} has no certificate in PEM form.`);
  for (const certificate of certificates) checkCertificate(certificate, path);
  return { secureContext: createSecureContext({ ca: [...rootCertificates, ...certificates] }) };
}

function readPem(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new WrongSettingError(`SVC_OUTBOUND_CA_FILE is wrong: ${path} cannot be read.`, { cause });
  }
}

function checkCertificate(certificate: string, path: string): void {
  try {
    new X509Certificate(certificate);
  } catch (cause) {
    throw new WrongSettingError(`SVC_OUTBOUND_CA_FILE is wrong: a certificate in ${path} is damaged.`, { cause });
  }
}
