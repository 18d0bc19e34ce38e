import type { Words } from '../words.ts';

export const words: Words = {
  title: 'Vaše soukromí, vaše volba',
  intro:
    '{controller} vás žádá o souhlas s použitím vašich údajů k těmto účelům: {purposes}. Volba je svobodná a můžete ji kdykoli změnit.',
  reject: 'Odmítnout vše',
  accept: 'Přijmout vše',
  preferences: 'Předvolby',
  panelTitle: 'Nastavení soukromí',
  panelIntro: 'Zvolte, k čemu smí {controller} používat vaše údaje. Volbu můžete kdykoli změnit.',
  required: 'Vždy zapnuto',
  save: 'Uložit volbu',
  close: 'Zavřít',
  privacySignal:
    'Váš prohlížeč žádá weby, aby vaše údaje neprodávaly ani nesdílely. Nic nepovinného není zapnuto, dokud to sami nezapnete.',
  changed: 'Od vaší poslední volby ze dne {date} se změnilo, o co žádáme.',
  newPurpose: 'Nové',
  trigger: 'Nastavení soukromí',
  placeholder: 'Tento obsah se nezobrazuje, protože jste nepovolili: {label}.',
  placeholderAllow: 'Povolit „{label}“ a zobrazit obsah',
  receipt: 'Potvrzení vaší volby',
  decidedAt: 'Vaše volba ze dne {date}',
  granted: 'Povoleno',
  refused: 'Odmítnuto',
  pending: 'Důkaz se do potvrzení doplní, jakmile server odpoví.',
  download: 'Uložit potvrzení',
  list: '{first}, {next} a\u00a0{last}',
};
