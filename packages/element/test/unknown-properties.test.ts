// @vitest-environment jsdom
import { expect, test, vi } from 'vitest'
import { warnAboutUnknown } from '../src/unknown-properties.ts'

test('warns once, over http only, about a property with a name that no framework has', () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue()
  const warnings = (properties: object): number => {
    warnAboutUnknown(Object.assign(document.createElement('p'), properties))
    return warn.mock.calls.length
  }
  const lit = { renderOptions: 1, renderRoot: 1, hasUpdated: 1, isUpdatePending: 1 }
  expect(warnings({ ...lit, title: 'x', _state: 1, state_: 1, ab: 1, jQuery351: 1 })).toBe(0)
  vi.stubGlobal('location', { protocol: 'https:' })
  expect(warnings({ clientsecret: 'x' })).toBe(0)
  vi.unstubAllGlobals()
  for (const name of ['clientSECRET', 'other']) expect(warnings({ ...lit, [name]: 1 })).toBe(1)
  expect(warn).toHaveBeenCalledWith('pi-checkout: unknown property clientSECRET')
})
