import type { Words } from '../words.ts';

export const words: Words = {
  title: 'Privasi Anda, pilihan Anda',
  intro:
    '{controller} meminta persetujuan Anda untuk menggunakan data Anda guna: {purposes}. Anda bebas memilih dan dapat mengubahnya kapan saja.',
  reject: 'Tolak semua',
  accept: 'Terima semua',
  preferences: 'Preferensi',
  panelTitle: 'Preferensi privasi',
  panelIntro: 'Pilih untuk apa {controller} boleh menggunakan data Anda. Anda dapat mengubahnya kapan saja.',
  required: 'Selalu aktif',
  save: 'Simpan pilihan',
  close: 'Tutup',
  privacySignal:
    'Peramban Anda meminta situs agar tidak menjual atau membagikan data Anda. Tidak ada hal opsional yang aktif kecuali Anda mengaktifkannya.',
  changed: 'Hal yang kami minta telah berubah sejak pilihan terakhir Anda pada {date}.',
  newPurpose: 'Baru',
  trigger: 'Pilihan privasi',
  placeholder: 'Konten ini tidak ditampilkan karena Anda belum mengizinkan: {label}.',
  placeholderAllow: 'Izinkan {label} dan tampilkan konten',
  receipt: 'Tanda terima pilihan Anda',
  decidedAt: 'Pilihan Anda pada {date}',
  granted: 'Diizinkan',
  refused: 'Ditolak',
  pending: 'Bukti akan ditambahkan ke tanda terima segera setelah server menjawab.',
  download: 'Simpan tanda terima',
  list: '{first}, {next} dan {last}',
};
