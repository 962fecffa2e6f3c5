import { readPlaces } from '@x-automated/contract/outreach/template'

/** Inserted into a message; the text after the bar is sent where no opener is approved. */
export const OPENER_VARIABLE = '{ai_opener|I like what you are building.}'

/** Whether a message has a place for an opener. */
export function usesOpener(template: string): boolean {
  return readPlaces(template).some(({ kind }) => kind === 'opener')
}
