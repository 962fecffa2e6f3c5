/** The message if the email address has already joined. The response has no code for this. */
export const ALREADY_JOINED = 'User already exists'
