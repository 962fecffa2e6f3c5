import { modKey } from '../../../ui/mod-key'

/** The keys that send an answer, as they are written on this system. */
export function sendKeys(): string {
  return `${modKey()}↵`
}
