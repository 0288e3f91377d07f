import { createCA, createCert } from 'mkcert';

/** A private key and a certificate, both as PEM. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

const DAYS = 2;

/** An authority that nobody trusts yet. */
export const anAuthority = (): Promise<Certificate> =>
  createCA({
    organization: 'Tests',
    countryCode: 'NA',
    state: 'Tests',
    locality: 'Tests',
    validity: DAYS,
  });

/** A certificate of these hosts by the authority. */
export const aCertificateFor = (hosts: string[], ca: Certificate): Promise<Certificate> =>
  createCert({ domains: hosts, validity: DAYS, ca });
