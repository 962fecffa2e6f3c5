import { readPlaces, type Segment, type UnknownPlace } from '@x-automated/contract/outreach/template'

/** Inserted into a message; the text after the bar is sent where no opener is approved. */
export const OPENER_VARIABLE = '{ai_opener|I like what you are building.}'

/** Whether a part of a message is the place of an opener. */
export function isOpener(place: Segment | UnknownPlace): boolean {
  return place.kind === 'opener'
}

/** Whether a message has a place for an opener. */
export function usesOpener(template: string): boolean {
  return readPlaces(template).some(isOpener)
}
