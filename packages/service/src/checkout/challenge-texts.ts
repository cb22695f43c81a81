/**
 * What the stand-in issuer says, in English, Armenian and Russian.
 *
 * @module
 */
import type { Language } from '../../shared/language.ts'

/** The texts of one language. */
export type ChallengeTexts = typeof en

const en = {
  bank: 'Stand-in bank',
  title: 'Is this payment yours?',
  shop: 'Shop',
  amount: 'Amount',
  card: 'Card',
  code: 'Code',
  confirm: 'Confirm',
  cancel: 'Cancel',
  hint: 'A sandbox sends no message: 1234 passes, 0000 is denied, 9999 is a bank error.',
  wrong: 'This code is wrong. Try again.',
  wrongLast: 'This code is wrong. One try is left.',
  lost: 'No connection to the bank. Try again.',
  done: 'Thank you. You can go on in the shop.',
  over: 'This confirmation is no longer open. Go back to the shop.',
}

const hy: ChallengeTexts = {
  bank: 'Փորձնական բանկ',
  title: 'Սա ձե՞ր վճարումն է',
  shop: 'Խանութ',
  amount: 'Գումար',
  card: 'Քարտ',
  code: 'Կոդ',
  confirm: 'Հաստատել',
  cancel: 'Չեղարկել',
  hint: 'Փորձարկման միջավայրը հաղորդագրություն չի ուղարկում․ 1234-ը հաստատում է, 0000-ն մերժում, 9999-ը բանկի սխալ է։',
  wrong: 'Կոդը սխալ է։ Նորից փորձեք։',
  wrongLast: 'Կոդը սխալ է։ Մնաց մեկ փորձ։',
  lost: 'Բանկի հետ կապ չկա։ Նորից փորձեք։',
  done: 'Շնորհակալություն։ Կարող եք շարունակել խանութում։',
  over: 'Այս հաստատումն այլևս բաց չէ։ Վերադարձեք խանութ։',
}

const ru: ChallengeTexts = {
  bank: 'Учебный банк',
  title: 'Это ваша оплата?',
  shop: 'Магазин',
  amount: 'Сумма',
  card: 'Карта',
  code: 'Код',
  confirm: 'Подтвердить',
  cancel: 'Отмена',
  hint: 'Песочница не шлёт сообщений: 1234 подтверждает, 0000 отклоняет, 9999 даёт ошибку банка.',
  wrong: 'Код неверен. Попробуйте ещё раз.',
  wrongLast: 'Код неверен. Осталась одна попытка.',
  lost: 'Нет связи с банком. Попробуйте ещё раз.',
  done: 'Спасибо. Можно продолжать в магазине.',
  over: 'Это подтверждение уже закрыто. Вернитесь в магазин.',
}

/** The texts of every language. */
export const challengeTexts: Readonly<Record<Language, ChallengeTexts>> = { en, hy, ru }
