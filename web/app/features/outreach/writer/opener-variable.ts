import { readSegments } from '@x-automated/contract/outreach/template'

/** The variable to insert into a message. If no opener is approved, the text after the bar is sent. */
export const OPENER_VARIABLE = '{ai_opener|I like what you are building.}'

/** Whether a message contains an opener. */
export function usesOpener(template: string): boolean {
  return readSegments(template).some(({ kind }) => kind === 'opener')
}
