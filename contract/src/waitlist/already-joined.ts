/** The message if the email address has already joined. The response has no code for it. */
export const ALREADY_JOINED = 'User already exists'
