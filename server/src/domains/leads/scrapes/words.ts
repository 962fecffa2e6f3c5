import { wordsIn } from '@x-automated/contract/leads/bio-words'
import type { WordCounts } from './tables.ts'

/**
 * How many words are kept while a scrape reads. The rarest are dropped, so a word that is rare at
 * first is counted too low.
 */
const KEPT = 300
const SHOWN = 40
const LENGTH_MAX = 24

/** Adds the words of these bios to `counted`. */
export function addWords(counted: WordCounts, bios: readonly (string | null)[]): WordCounts {
  const counts = new Map(counted)
  for (const bio of bios) {
    for (const word of wordsIn(bio)) if (isTelling(word)) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return [...counts].sort(([a, left], [b, right]) => right - left || (a < b ? -1 : 1)).slice(0, KEPT)
}

/** The words to offer as filters, which occur in at least two bios. */
export function frequentWords(counted: WordCounts): { word: string; count: number }[] {
  return counted
    .filter(([, bios]) => bios > 1)
    .slice(0, SHOWN)
    .map(([word, count]) => ({ word, count }))
}

/** Whether a word says something about a person: it is neither a number nor a common word. */
function isTelling(word: string): boolean {
  return word.length > 1 && word.length <= LENGTH_MAX && /\p{L}/u.test(word) && !COMMON.has(word)
}

/** Frequent words of English, Spanish, Portuguese, French and German bios, and parts of URLs. */
const COMMON = new Set(
  `a about after all also always am an and any are around as at back be because been before being best better between
  big both but by can could day days did do does doing don done down each else ever every everything few first for from
  get getting go going good got great had has have having he her here hey hi him his home how if im in into is it its
  just know last let life like little ll long look lot made make makes making many me more most much my myself need
  never new next no not nothing now of off on once one only or other our out over own part people per place re
  really right same say see she should since so some something still such sure take than that the their them then there
  these they thing things think this those through time to today together too try trying two under up us use used using
  ve very want was way we well were what when where which while who whole why will with without working would year
  years yes yet you your
  ao com como con da das de del do dos e el em en es esta la las lo los mais mas mi muito na no nos o os para pero por
  que se ser sin soy su sus te tu um uma un una uno y
  au aux avec ce ces c d dans des du elle en est et je l le les leur mais mes mon ne nous ou par pas plus pour qui sa
  ses son sur un une vous
  aber als am auch auf aus bei bin das dem den der des die du ein eine einen einer es für hier ich ihr im ist mein
  mich mit nicht noch nur oder sich sie sind um und uns vom von vor was wie wir zu zum zur über
  amp app bit bio co dm dms http https instagram io link linktr ly net org page site tco twitter url website www youtu
  youtube`.split(/\s+/),
)
