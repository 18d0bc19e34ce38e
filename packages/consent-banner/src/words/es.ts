import type { Words } from '../words.ts';

export const words: Words = {
  title: 'Su privacidad, su elección',
  intro:
    '{controller} le pide su consentimiento para usar sus datos con estos fines: {purposes}. Usted decide libremente y puede cambiar su elección en cualquier momento.',
  reject: 'Rechazar todo',
  accept: 'Aceptar todo',
  preferences: 'Preferencias',
  panelTitle: 'Preferencias de privacidad',
  panelIntro: 'Elija para qué puede usar sus datos {controller}. Puede cambiarlo en cualquier momento.',
  required: 'Siempre activo',
  save: 'Guardar selección',
  close: 'Cerrar',
  privacySignal:
    'Su navegador pide a los sitios que no vendan ni compartan sus datos. Nada opcional está activo a menos que usted lo active.',
  changed: 'Lo que le pedimos ha cambiado desde su última elección, del {date}.',
  newPurpose: 'Nuevo',
  trigger: 'Opciones de privacidad',
  placeholder: 'Este contenido no se muestra porque usted no ha permitido: {label}.',
  placeholderAllow: 'Permitir {label} y mostrar el contenido',
  receipt: 'Comprobante de su elección',
  decidedAt: 'Su elección del {date}',
  granted: 'Permitido',
  refused: 'Rechazado',
  pending: 'La prueba se añadirá al comprobante en cuanto el servidor haya respondido.',
  download: 'Guardar el comprobante',
  list: '{first}, {next} y {last}',
};
