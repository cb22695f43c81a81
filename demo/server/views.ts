/** Creates the pages' data: names in the session's language, amounts as text. @module */
import { formatMoney } from '@pi-checkout/server'
import { countCart, type Line, mostPerProduct, readCart, totalOf } from './cart.ts'
import { findProduct, priceLists, products } from './catalogue.ts'
import type { Database } from './database.ts'
import { intentsOf } from './order-intents.ts'
import { isPayable, type Order, orderLines, ordersOf, unpaidOrder } from './orders.ts'
import type {
  CartData,
  CatalogueData,
  Frame,
  LineData,
  OrderData,
  OrdersData,
} from './page-data.ts'
import type { Preferences } from './preferences.ts'

/** A session with its preferences. */
export interface Visitor extends Preferences {
  readonly session: string
  readonly inspectorUrl: string | undefined
}

export function catalogueData(db: Database, visitor: Visitor): CatalogueData {
  const { language, currency } = visitor
  const cart = readCart(db, visitor)
  return {
    frame: frameOf(db, visitor),
    products: products.map(({ id, name, about, prices }) => ({
      id,
      name: name[language],
      about: about[language],
      price: formatMoney(prices[currency], currency, language),
      quantity: cart.find((line) => line.product === id)?.quantity ?? 0,
      most: mostPerProduct,
    })),
  }
}

export function cartData(db: Database, visitor: Visitor): CartData {
  const lines = readCart(db, visitor)
  const unpaid = unpaidOrder(db, visitor.session)
  return {
    frame: frameOf(db, visitor),
    lines: lineData(lines, visitor),
    total: formatMoney(totalOf(lines), visitor.currency, visitor.language),
    most: mostPerProduct,
    pendingOrder: unpaid?.state === 'processing' ? unpaid.id : null,
  }
}

export function orderData(db: Database, visitor: Visitor, order: Order): OrderData {
  const { language } = visitor
  const { id, state, amount, currency, placedAt, paidAt, paidWith } = order
  const intents = intentsOf(db, id)
  return {
    frame: frameOf(db, visitor),
    order: {
      id,
      state,
      amount: formatMoney(amount, currency, language),
      lines: lineData(orderLines(db, id), { language, currency }),
      placedAt: formatTime(placedAt, language),
      paidAt: paidAt && formatTime(paidAt, language),
      paidWith,
      handedOff: intents.length > 0,
      payable: isPayable(db, order),
      earlierPayments: intents
        .filter((intent) => intent.verdict === 'paid' && intent.id !== order.intent)
        .map((intent) => formatMoney(intent.amount, intent.currency, language)),
    },
  }
}

export function ordersData(db: Database, visitor: Visitor): OrdersData {
  const { session, language } = visitor
  return {
    frame: frameOf(db, visitor),
    orders: ordersOf(db, session).map(({ id, state, amount, currency, placedAt }) => ({
      id,
      state,
      amount: formatMoney(amount, currency, language),
      placedAt: formatTime(placedAt, language),
      products: orderLines(db, id).map(({ product }) => product),
    })),
  }
}

function frameOf(db: Database, { session, language, currency, inspectorUrl }: Visitor): Frame {
  const pieces = countCart(db, session)
  return { language, currency, currencies: priceLists, pieces, inspectorUrl: inspectorUrl ?? null }
}

function lineData(lines: readonly Line[], { language, currency }: Preferences): LineData[] {
  return lines.map(({ product, quantity, price }) => ({
    product,
    name: findProduct(product)?.name[language] ?? product,
    quantity,
    price: formatMoney(price, currency, language),
    total: formatMoney(price * quantity, currency, language),
  }))
}

/** Formatted on the server in the shop's time zone: not every browser supports Armenian dates. */
function formatTime(time: string, language: string): string {
  return new Intl.DateTimeFormat(language, {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'Asia/Yerevan',
  }).format(new Date(time))
}
