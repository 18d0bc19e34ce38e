import type { Words } from '../words.ts';

export const words: Words = {
  title: 'Gizliliğiniz, sizin seçiminiz',
  intro:
    '{controller}, verilerinizi şu amaçlarla kullanmak için rızanızı istiyor: {purposes}. Özgürce seçebilir ve seçiminizi istediğiniz zaman değiştirebilirsiniz.',
  reject: 'Tümünü reddet',
  accept: 'Tümünü kabul et',
  preferences: 'Tercihler',
  panelTitle: 'Gizlilik tercihleri',
  panelIntro:
    '{controller} verilerinizi hangi amaçlarla kullanabilir, seçin. Bunu istediğiniz zaman değiştirebilirsiniz.',
  required: 'Her zaman açık',
  save: 'Seçimleri kaydet',
  close: 'Kapat',
  privacySignal:
    'Tarayıcınız sitelerden verilerinizi satmamalarını ve paylaşmamalarını istiyor. Siz açmadıkça isteğe bağlı hiçbir şey açık değildir.',
  changed: '{date} tarihli son seçiminizden bu yana sizden istediklerimiz değişti.',
  newPurpose: 'Yeni',
  trigger: 'Gizlilik seçimleri',
  placeholder: 'Şuna izin vermediğiniz için bu içerik gösterilmiyor: {label}.',
  placeholderAllow: '{label} için izin ver ve içeriği göster',
  receipt: 'Seçiminizin belgesi',
  decidedAt: '{date} tarihli seçiminiz',
  granted: 'İzin verilenler',
  refused: 'Reddedilenler',
  pending: 'Sunucu yanıt verir vermez kanıt belgeye eklenecek.',
  download: 'Belgeyi kaydet',
  list: '{first}, {next} ve {last}',
};
