import type { Words } from '../words.ts';

export const words: Words = {
  title: '개인정보 보호, 직접 선택하세요',
  intro:
    '{controller}에서 다음 목적으로 귀하의 데이터를 사용하는 데 동의를 구합니다: {purposes}. 자유롭게 선택할 수 있으며 언제든지 변경할 수 있습니다.',
  reject: '모두 거부',
  accept: '모두 동의',
  preferences: '설정',
  panelTitle: '개인정보 보호 설정',
  panelIntro: '{controller}에서 귀하의 데이터를 사용할 수 있는 목적을 선택하세요. 언제든지 변경할 수 있습니다.',
  required: '항상 켜짐',
  save: '선택 저장',
  close: '닫기',
  privacySignal:
    '귀하의 브라우저가 사이트에 데이터를 판매하거나 공유하지 말 것을 요청합니다. 직접 켜지 않는 한 선택 항목은 켜지지 않습니다.',
  changed: '마지막 선택({date}) 이후 동의를 구하는 내용이 변경되었습니다.',
  newPurpose: '신규',
  trigger: '개인정보 보호 선택',
  placeholder: '다음 항목이 허용되지 않아 이 콘텐츠가 표시되지 않습니다: {label}.',
  placeholderAllow: '{label} 허용 후 콘텐츠 표시',
  receipt: '선택 확인서',
  decidedAt: '선택 일시: {date}',
  granted: '허용됨',
  refused: '거부됨',
  pending: '서버가 응답하는 즉시 확인서에 증명이 추가됩니다.',
  download: '확인서 저장',
  list: '{first}, {next} 및 {last}',
};
