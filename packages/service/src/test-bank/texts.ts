/** Texts of the test bank in English, Armenian, and Russian. @module */
import type { Language } from '../../shared/language.ts'

export type ChallengeTexts = typeof en

const en = {
  bank: 'Test bank',
  title: 'Confirm this payment',
  shop: 'Shop',
  amount: 'Amount',
  card: 'Card',
  code: 'Code from your bank',
  confirm: 'Confirm',
  cancel: 'Cancel',
  hint: 'Test mode, no SMS is sent: 1234\u00a0confirms, 0000\u00a0denies, 9999\u00a0is a bank error.',
  wrong: 'This code is wrong. Try again.',
  wrongLast: 'This code is wrong. One try is left.',
  lost: 'No connection to the bank. Try again.',
  done: 'Thank you. You can return to the shop.',
  over: 'This confirmation is no longer open. Go back to the shop.',
}

const hy: ChallengeTexts = {
  bank: 'Փորձնական բանկ',
  title: 'Հաստատեք այս վճարումը',
  shop: 'Խանութ',
  amount: 'Գումար',
  card: 'Քարտ',
  code: 'Ձեր բանկի ուղարկած կոդը',
  confirm: 'Հաստատել',
  cancel: 'Չեղարկել',
  hint: 'Փորձարկման միջավայր, SMS չի ուղարկվի։ 1234՝\u00a0հաստատել, 0000՝\u00a0մերժել, 9999՝\u00a0բանկի սխալ։',
  wrong: 'Կոդը սխալ է։ Նորից փորձեք։',
  wrongLast: 'Կոդը սխալ է։ Մնաց մեկ փորձ։',
  lost: 'Բանկի հետ կապ չկա։ Նորից փորձեք։',
  done: 'Շնորհակալություն։ Կարող եք վերադառնալ խանութ։',
  over: 'Այս հաստատումն այլևս բաց չէ։ Վերադարձեք խանութ։',
}

const ru: ChallengeTexts = {
  bank: 'Тестовый банк',
  title: 'Подтвердите этот платёж',
  shop: 'Магазин',
  amount: 'Сумма',
  card: 'Карта',
  code: 'Код от вашего банка',
  confirm: 'Подтвердить',
  cancel: 'Отменить',
  hint: 'Тестовый режим, SMS не придёт: 1234\u00a0—\u00a0подтвердить, 0000\u00a0—\u00a0отклонить, 9999\u00a0—\u00a0ошибка банка.',
  wrong: 'Код неверен. Попробуйте ещё раз.',
  wrongLast: 'Код неверен. Осталась одна попытка.',
  lost: 'Нет связи с банком. Попробуйте ещё раз.',
  done: 'Спасибо. Можно вернуться в магазин.',
  over: 'Это подтверждение уже закрыто. Вернитесь в магазин.',
}

export const challengeTexts: Readonly<Record<Language, ChallengeTexts>> = { en, hy, ru }
