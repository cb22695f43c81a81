/** Styles, script, fonts, and pictures. Browsers keep them, so that a payment page waits for none. @module */
import { statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import express from 'express'
import { demoFolder } from './config.ts'

const folder = fileURLToPath(new URL('public', demoFolder))

export const publicFiles = express.static(folder, {
  index: false,
  redirect: false,
  setHeaders: (res, path) => {
    const seconds = /\.(?:css|js)$/.test(path) ? 31_536_000 : 86_400
    res.set('Cache-Control', `public, max-age=${seconds}`)
  },
})

/** Returns the address of a style or script, which is another one after a change of the file. */
export function versioned(path: string): string {
  return `${path}?v=${Math.trunc(statSync(folder + path).mtimeMs)}`
}
