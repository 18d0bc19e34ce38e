import type { Words } from '../words.ts';

export const words: Words = {
  title: 'Państwa prywatność, Państwa wybór',
  intro:
    '{controller} prosi o zgodę na wykorzystanie Państwa danych w następujących celach: {purposes}. Wybór jest dobrowolny i można go zmienić w każdej chwili.',
  reject: 'Odrzuć wszystko',
  accept: 'Zaakceptuj wszystko',
  preferences: 'Ustawienia',
  panelTitle: 'Ustawienia prywatności',
  panelIntro:
    'Proszę wybrać, w jakich celach {controller} może wykorzystywać Państwa dane. Można to zmienić w każdej chwili.',
  required: 'Zawsze włączone',
  save: 'Zapisz wybór',
  close: 'Zamknij',
  privacySignal:
    'Państwa przeglądarka prosi strony, aby nie sprzedawały ani nie udostępniały Państwa danych. Nic opcjonalnego nie jest włączone, dopóki sami Państwo tego nie włączą.',
  changed: 'Od Państwa ostatniego wyboru z dnia {date} zmieniło się to, o co prosimy.',
  newPurpose: 'Nowe',
  trigger: 'Ustawienia prywatności',
  placeholder: 'Ta treść nie jest wyświetlana, ponieważ nie zezwolono na: {label}.',
  placeholderAllow: 'Zezwól na „{label}” i wyświetl treść',
  receipt: 'Potwierdzenie wyboru',
  decidedAt: 'Państwa wybór z dnia {date}',
  granted: 'Dozwolone',
  refused: 'Odrzucone',
  pending: 'Dowód zostanie dodany do potwierdzenia, gdy tylko serwer odpowie.',
  download: 'Zapisz potwierdzenie',
  list: '{first}, {next} i {last}',
};
