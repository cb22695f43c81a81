/** How a locator finds elements. `find` runs in the page. @module */

export type Text = string | { readonly source: string; readonly flags: string }

export interface Step {
  readonly by: 'css' | 'frame' | 'hasText' | 'label' | 'nth' | 'role' | 'text'
  readonly value: Text | number
  /** The accessible name of a role. */
  readonly name?: Text
}

/** Follows the steps from the document to elements, into open shadow roots. */
export function find(steps: readonly Step[]): Element[] {
  const roles: Record<string, string> = {
    alert: '[role=alert]',
    button: 'button',
    heading: 'h1, h2, h3',
    main: 'main',
  }
  const matches = (text: string | null, expected: Text): boolean => {
    const plain = (one: string): string => one.replaceAll(/\s+/g, ' ').trim()
    return typeof expected === 'string'
      ? plain(text ?? '')
          .toLowerCase()
          .includes(plain(expected).toLowerCase())
      : new RegExp(expected.source, expected.flags).test(plain(text ?? ''))
  }
  const below = (scope: ParentNode, selector: string): Element[] => [
    ...scope.querySelectorAll(selector),
    ...[scope, ...scope.querySelectorAll('*')].flatMap((host) =>
      host instanceof Element && host.shadowRoot ? below(host.shadowRoot, selector) : [],
    ),
  ]
  const visible = (element: Element): boolean =>
    element.checkVisibility({ visibilityProperty: true })
  let found: ParentNode[] = [document]
  for (const { by, value, name = '' } of steps) {
    const all = (selector: string): Element[] => [
      ...new Set(found.flatMap((scope) => below(scope, selector))),
    ]
    const elements = found.filter((one) => one instanceof Element)
    if (by === 'css') {
      found = String(value)
        .split(', ')
        .flatMap((selector) =>
          selector
            .split(' ')
            .reduce((scopes, part) => scopes.flatMap((one) => below(one, part)), found),
        )
    } else if (by === 'nth') {
      found = elements.slice(Number(value)).slice(0, 1)
    } else if (by === 'hasText') {
      found = elements.filter((one) => matches(one.textContent, value as Text))
    } else if (by === 'role') {
      found = all(roles[String(value)] ?? 'unknown')
        .filter(visible)
        .filter((one) => matches(one.ariaLabel ?? one.textContent, name))
    } else if (by === 'label') {
      found = all('input, select, textarea').filter((field) =>
        [
          field.ariaLabel,
          ...Array.from((field as HTMLInputElement).labels ?? [], (label) => label.textContent),
        ].some((label) => label && matches(label, value as Text)),
      )
    } else {
      found = all('body *')
        .filter(
          (one) =>
            !one.matches('script, style, template') && matches(one.textContent, value as Text),
        )
        .filter((one, _, texts) => !texts.some((other) => other !== one && one.contains(other)))
    }
  }
  return found as Element[]
}
