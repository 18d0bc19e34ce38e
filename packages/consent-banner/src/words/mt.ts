import type { Words } from '../words.ts';

export const words: Words = {
  title: 'Il-privatezza tiegħek, l-għażla tiegħek',
  intro:
    '{controller} jitlob il-kunsens tiegħek biex juża d-data tiegħek għal: {purposes}. L-għażla hija ħielsa, u tista’ tbiddilha fi kwalunkwe ħin.',
  reject: 'Irrifjuta kollox',
  accept: 'Aċċetta kollox',
  preferences: 'Preferenzi',
  panelTitle: 'Preferenzi tal-privatezza',
  panelIntro: 'Agħżel għal xiex {controller} jista’ juża d-data tiegħek. Tista’ tbiddel dan fi kwalunkwe ħin.',
  required: 'Dejjem mixgħul',
  save: 'Issejvja l-għażliet',
  close: 'Agħlaq',
  privacySignal:
    'Il-brawżer tiegħek jitlob lis-siti biex ma jbigħux u ma jaqsmux id-data tiegħek. Xejn li huwa fakultattiv ma jkun mixgħul sakemm ma tixgħelux int.',
  changed: 'Dak li nitolbu nbidel mill-aħħar għażla tiegħek ({date}).',
  newPurpose: 'Ġdid',
  trigger: 'Għażliet tal-privatezza',
  placeholder: 'Dan il-kontenut mhux qed jintwera għax ma ppermettejtx: {label}.',
  placeholderAllow: 'Ippermetti {label} u uri l-kontenut',
  receipt: 'Irċevuta tal-għażla tiegħek',
  decidedAt: 'L-għażla tiegħek: {date}',
  granted: 'Permess',
  refused: 'Rifjutat',
  pending: 'Il-prova tiżdied mal-irċevuta hekk kif is-server iwieġeb.',
  download: 'Issejvja l-irċevuta',
  list: '{first}, {next} u {last}',
};
