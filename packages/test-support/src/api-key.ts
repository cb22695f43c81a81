/**
 * API keys in the form of the service that no service accepts. They are built here, so that a scanner of secrets finds none
 * in the sources.
 *
 * @module
 */

/** @param sample - Repeated in place of the random characters, and of the environment unless that is given. */
export function sampleKey(
  sample: string,
  {
    mode = 'test',
    environment = sample,
  }: { readonly mode?: string; readonly environment?: string } = {},
): string {
  const filled = (text: string, length: number): string => text.repeat(length).slice(0, length)
  return `pi_sk_${mode}_${filled(environment, 16)}_${filled(sample, 36)}`
}
