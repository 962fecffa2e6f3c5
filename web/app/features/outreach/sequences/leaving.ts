/** Asks before unsaved messages are lost. */
export const LOSING_MESSAGES = {
  title: 'Leave without saving?',
  body: 'What you wrote on this page is not saved.',
  confirm: 'Leave',
  cancel: 'Keep editing',
  danger: true,
}
