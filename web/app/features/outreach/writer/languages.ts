/** Languages offered for drafts and translations. */
export const LANGUAGES = [
  'English',
  'Arabic',
  'Chinese',
  'Dutch',
  'French',
  'German',
  'Hindi',
  'Indonesian',
  'Italian',
  'Japanese',
  'Korean',
  'Polish',
  'Portuguese',
  'Spanish',
  'Turkish',
  'Ukrainian',
] as const
