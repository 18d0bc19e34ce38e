import type { Words } from '../words.ts';

export const words: Words = {
  title: 'Quyền riêng tư của bạn, lựa chọn của bạn',
  intro:
    '{controller} xin bạn đồng ý cho sử dụng dữ liệu của bạn vào các mục đích: {purposes}. Bạn được tự do lựa chọn và có thể thay đổi bất cứ lúc nào.',
  reject: 'Từ chối tất cả',
  accept: 'Chấp nhận tất cả',
  preferences: 'Tùy chọn',
  panelTitle: 'Tùy chọn quyền riêng tư',
  panelIntro:
    'Chọn những mục đích mà {controller} được phép sử dụng dữ liệu của bạn. Bạn có thể thay đổi bất cứ lúc nào.',
  required: 'Luôn bật',
  save: 'Lưu lựa chọn',
  close: 'Đóng',
  privacySignal:
    'Trình duyệt của bạn yêu cầu các trang web không bán hoặc chia sẻ dữ liệu của bạn. Không mục tùy chọn nào được bật trừ khi bạn tự bật.',
  changed: 'Nội dung chúng tôi xin phép đã thay đổi kể từ lựa chọn gần nhất của bạn ({date}).',
  newPurpose: 'Mới',
  trigger: 'Lựa chọn quyền riêng tư',
  placeholder: 'Nội dung này không hiển thị vì bạn chưa cho phép: {label}.',
  placeholderAllow: 'Cho phép {label} và hiển thị nội dung',
  receipt: 'Biên nhận lựa chọn của bạn',
  decidedAt: 'Lựa chọn của bạn: {date}',
  granted: 'Đã cho phép',
  refused: 'Đã từ chối',
  pending: 'Bằng chứng sẽ được thêm vào biên nhận ngay khi máy chủ trả lời.',
  download: 'Lưu biên nhận',
  list: '{first}, {next} và {last}',
};
