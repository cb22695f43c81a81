/** Code with a button that copies it. A script shows the button. What scrolls can be reached with the keyboard. @module */

/** @param code - HTML in which received texts are escaped. */
export function codeBlock(code: string): string {
  return `<div class="code"><button class="small" type="button" hidden>Copy</button><pre tabindex="0">${code}</pre></div>`
}
