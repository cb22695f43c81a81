/** What the shop sells. Prices are in one currency. @module */
import { formatMoney, toMinor } from '@pi-checkout/server'

export const currency = 'AMD'

export interface Product {
  readonly id: string
  readonly name: string
  readonly about: string
  /** Minor units. */
  readonly price: number
}

const table: readonly (readonly [id: string, name: string, price: string, about: string])[] = [
  ['pomegranate-vase', 'Pomegranate vase', '18500', 'Red clay from Gyumri, burnished with agate.'],
  ['copper-jazve', 'Copper jazve', '24000', 'Beaten copper, tinned inside. For three small cups.'],
  ['coffee-cups', 'Two coffee cups', '14800', 'Stoneware, glazed with the ash of apricot wood.'],
  ['lori-honey', 'Lori wildflower honey', '4900', '500 g, gathered above the Debed gorge.'],
  ['dried-apricots', 'Dried apricots', '3200', '400 g, dried in the sun of the Ararat valley.'],
  ['gavar-blanket', 'Gavar wool blanket', '58000', 'Madder-red wool from a hand loom.'],
  ['scribe-notebook', 'Scribe’s notebook', '6700', 'Sewn binding, a border from old manuscripts.'],
  ['thyme-tea', 'Mountain thyme tea', '2400', '50 g, picked on the slopes of Aragats.'],
]

export const products: readonly Product[] = table.map(([id, name, price, about]) => {
  return { id, name, about, price: toMinor(price, currency) }
})

/** Finds a product of the current catalogue. */
export function findProduct(id: string): Product | undefined {
  return products.find((product) => product.id === id)
}

/** Returns the name of a product, or the id of one that is no longer sold. */
export function nameOf(id: string): string {
  return findProduct(id)?.name ?? id
}

/** Formats an amount of minor units. */
export function priceText(amount: number): string {
  return formatMoney(amount, currency, 'en')
}
