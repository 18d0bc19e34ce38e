import type { Words } from '../words.ts';

export const words: Words = {
  title: 'A sua privacidade, a sua escolha',
  intro:
    '{controller} pede o seu consentimento para usar os seus dados para: {purposes}. A escolha é livre e pode ser alterada a qualquer momento.',
  reject: 'Rejeitar tudo',
  accept: 'Aceitar tudo',
  preferences: 'Preferências',
  panelTitle: 'Preferências de privacidade',
  panelIntro: 'Escolha para que {controller} pode usar os seus dados. Pode alterar isto a qualquer momento.',
  required: 'Sempre ativo',
  save: 'Guardar escolhas',
  close: 'Fechar',
  privacySignal:
    'O seu navegador pede aos sites que não vendam nem partilhem os seus dados. Nada opcional está ativo, a menos que o ative.',
  changed: 'O que lhe pedimos mudou desde a sua última escolha, de {date}.',
  newPurpose: 'Novo',
  trigger: 'Opções de privacidade',
  placeholder: 'Este conteúdo não é mostrado porque não permitiu: {label}.',
  placeholderAllow: 'Permitir {label} e mostrar o conteúdo',
  receipt: 'Comprovativo da sua escolha',
  decidedAt: 'A sua escolha de {date}',
  granted: 'Permitido',
  refused: 'Rejeitado',
  pending: 'A prova será acrescentada ao comprovativo assim que o servidor responder.',
  download: 'Guardar o comprovativo',
  list: '{first}, {next} e {last}',
};
