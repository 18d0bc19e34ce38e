import type { MemberRole, Role } from '../../../../packages/node-sdk/src/types/api.ts';
import type { Language } from '../preferences.ts';

interface RoleWords {
  /** What the page of an invitation says of it. */
  readonly invited: string;
  readonly names: Readonly<Record<MemberRole, string>>;
  /** What a member with the role may do, in short. */
  readonly rights: Readonly<Record<Role, string>>;
}

/** Of the roles, in every language. */
export const roleWords: Readonly<Record<Language, RoleWords>> = {
  en: {
    invited: 'You are invited to {organization}. Your role: {role}.',
    names: {
      admin: 'Administrator',
      dpo: 'Data protection officer',
      engineer: 'Engineer',
      auditor: 'Auditor',
      cs_agent: 'Customer support',
      dpco_principal: 'Platform staff',
      platform_admin: 'Platform administrator',
    },
    rights: {
      admin: 'everything',
      dpo: 'everything but people, keys and settings',
      engineer: 'notices, webhooks, controls',
      auditor: 'reads everything',
      cs_agent: 'reads consent, handles requests',
    },
  },
  de: {
    invited: 'Sie sind zu {organization} eingeladen. Ihre Rolle: {role}.',
    names: {
      admin: 'Administration',
      dpo: 'Datenschutz',
      engineer: 'Technik',
      auditor: 'Prüfung',
      cs_agent: 'Kundendienst',
      dpco_principal: 'Plattform',
      platform_admin: 'Plattformverwaltung',
    },
    rights: {
      admin: 'alles',
      dpo: 'alles außer Personen, Schlüsseln und Einstellungen',
      engineer: 'Hinweise, Webhooks, Kontrollen',
      auditor: 'liest alles',
      cs_agent: 'liest Einwilligungen, bearbeitet Anfragen',
    },
  },
  fr: {
    invited: 'Invitation à rejoindre {organization}. Votre rôle : {role}.',
    names: {
      admin: 'Administration',
      dpo: 'Protection des données',
      engineer: 'Technique',
      auditor: 'Audit',
      cs_agent: 'Service client',
      dpco_principal: 'Plateforme',
      platform_admin: 'Administration de la plateforme',
    },
    rights: {
      admin: 'tout',
      dpo: 'tout sauf personnes, clés et réglages',
      engineer: 'bandeaux, webhooks, contrôles',
      auditor: 'lit tout',
      cs_agent: 'lit les consentements, traite les demandes',
    },
  },
};
