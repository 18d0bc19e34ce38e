import type { Words } from '../words.ts';

export const words: Words = {
  title: 'お客様のプライバシー、お客様の選択',
  intro:
    '{controller}は、次の目的でお客様のデータを使用することへの同意を求めています：{purposes}。同意するかどうかは自由で、いつでも変更できます。',
  reject: 'すべて拒否',
  accept: 'すべて同意',
  preferences: '設定',
  panelTitle: 'プライバシー設定',
  panelIntro: '{controller}がお客様のデータを使用してよい目的を選択してください。いつでも変更できます。',
  required: '常に有効',
  save: '選択を保存',
  close: '閉じる',
  privacySignal:
    'お使いのブラウザーは、お客様のデータを販売・共有しないようサイトに求めています。ご自身で有効にしない限り、任意の項目は有効になりません。',
  changed: '前回の選択（{date}）以降、同意をお願いする内容が変わりました。',
  newPurpose: '新規',
  trigger: 'プライバシーの選択',
  placeholder: '次の項目が許可されていないため、このコンテンツは表示されません：{label}。',
  placeholderAllow: '{label}を許可してコンテンツを表示',
  receipt: '選択の控え',
  decidedAt: 'お客様の選択：{date}',
  granted: '許可',
  refused: '拒否',
  pending: 'サーバーが応答すると、控えに証明が加わります。',
  download: '控えを保存',
  list: '{first}、{next}、{last}',
};
