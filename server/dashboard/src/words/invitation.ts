import type { Language } from '../preferences.ts';

const en = {
  invited: 'You are invited to {organization}. Your role: {role}.',
  roles: {
    admin: 'Administrator',
    dpo: 'Data protection officer',
    engineer: 'Engineer',
    auditor: 'Auditor',
    cs_agent: 'Customer support',
    dpco_principal: 'Platform staff',
  } as Readonly<Record<string, string>>,
};

const de: typeof en = {
  invited: 'Sie sind zu {organization} eingeladen. Ihre Rolle: {role}.',
  roles: {
    admin: 'Administration',
    dpo: 'Datenschutz',
    engineer: 'Technik',
    auditor: 'Prüfung',
    cs_agent: 'Kundendienst',
    dpco_principal: 'Plattform',
  },
};

const fr: typeof en = {
  invited: 'Invitation à rejoindre {organization}. Votre rôle : {role}.',
  roles: {
    admin: 'Administration',
    dpo: 'Protection des données',
    engineer: 'Technique',
    auditor: 'Audit',
    cs_agent: 'Service client',
    dpco_principal: 'Plateforme',
  },
};

/** What the page of an invitation says of it, beside the words of all pages before the sign-in. */
export const invitationWords: Readonly<Record<Language, typeof en>> = { en, de, fr };
