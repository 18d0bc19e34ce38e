import type { Words } from '../words.ts';

export const words: Words = {
  title: 'Your privacy, your choice',
  intro:
    '{controller} asks for your consent to use your data for: {purposes}. The choice is free, and you can change it at any time.',
  reject: 'Reject all',
  accept: 'Accept all',
  preferences: 'Preferences',
  panelTitle: 'Privacy preferences',
  panelIntro: 'Choose what {controller} may use your data for. You can change this at any time.',
  required: 'Always on',
  save: 'Save choices',
  close: 'Close',
  privacySignal:
    'Your browser asks sites not to sell or share your data. Nothing optional is on unless you turn it on.',
  changed: 'We changed what we ask for since your last choice on {date}.',
  newPurpose: 'New',
  trigger: 'Privacy choices',
  placeholder: 'This content is not shown, because you have not allowed: {label}.',
  placeholderAllow: 'Allow {label} and show the content',
  receipt: 'Receipt of your choice',
  decidedAt: 'Your choice of {date}',
  granted: 'Allowed',
  refused: 'Refused',
  pending: 'The receipt will have its proof as soon as the server has answered.',
  download: 'Save the receipt',
  list: '{first}, {next} and {last}',
};
