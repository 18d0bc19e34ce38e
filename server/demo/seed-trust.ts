import type { AuditSource } from '../audit/source.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { replaceTrustCenter } from '../trust/trust-changes.ts';
import { TrustCenterInput } from '../trust/trust-content.ts';

/** Publishes the trust center of the demo tenant, with dates around the present. */
export async function seedTrust(work: UnitOfWork, source: AuditSource, slug: string): Promise<void> {
  await replaceTrustCenter(work, source, slug, TrustCenterInput.parse(demoTrustCenter(work.now)));
}

function demoTrustCenter(now: string) {
  const inDays = (days: number) => new Date(Date.parse(now) + days * 24 * 60 * 60_000).toISOString();
  return {
    published: true,
    headline: 'How we look after the data that you leave with us',
    description: [
      'This is the trust center of a company that does not exist. It shows what yours could look like: one request replaces it, and every word on this page is your own.',
      'We keep personal data in the European Union, encrypt it at rest and on its way, and delete it when its purpose has passed. Two people see to every change of the systems that hold it.',
    ].join('\n\n'),
    contactEmail: 'privacy@demo.example',
    securityContact: 'https://www.example.com/security/report',
    frameworks: [
      { code: 'GDPR', achievedAt: inDays(-412) },
      {
        code: 'ISO27001',
        achievedAt: inDays(-187),
        expiresAt: inDays(908),
        reportUrl: 'https://www.example.com/reports/statement-of-applicability.pdf',
      },
      { code: 'SOC2', achievedAt: inDays(-96), expiresAt: inDays(269) },
    ],
    links: [
      { label: 'Privacy policy', url: 'https://www.example.com/privacy' },
      { label: 'Data processing agreement', url: 'https://www.example.com/legal/dpa.pdf' },
      { label: 'Security overview', url: 'https://www.example.com/security' },
      { label: 'System status', url: 'https://status.example.com/' },
    ],
    subprocessors: [
      { name: 'Example Cloud GmbH', purpose: 'Servers and backups of the service', country: 'Germany' },
      { name: 'Example Mail AB', purpose: 'Delivery of messages to customers', country: 'Sweden' },
      { name: 'Example Desk Ltd', purpose: 'Help desk for customers', country: 'Ireland' },
      { name: 'Example Pay B.V.', purpose: 'Invoices and payments', country: 'Netherlands' },
    ],
    showsProof: true,
  };
}
