/** Tells the developer of a page about a property that the element does not have. @module */

/** Fields of the element's base class. */
const fields = ['renderOptions', 'renderRoot', 'hasUpdated', 'isUpdatePending']

let warned = false

/** Warns once per page, on pages over plain http only. Frameworks' own names contain other characters. */
export function warnAboutUnknown(element: HTMLElement): void {
  if (warned || location.protocol !== 'http:') return
  const unknown = Object.keys(element).find(
    (name) =>
      /^[a-z]{3,}$/i.test(name) &&
      !fields.includes(name) &&
      !(name in Object.getPrototypeOf(element)),
  )
  if (!unknown) return
  warned = true
  // biome-ignore lint/suspicious/noConsole: for the developer of the page
  console.warn(`pi-checkout: unknown property ${unknown}`)
}
