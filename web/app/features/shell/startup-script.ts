/**
 * Runs in the head, before anything is drawn: the chosen theme, and whether a session or a place on the waitlist is stored
 * (so that its owner is not shown the links of guests, or the form of newcomers, for a moment).
 * The server allows it in the content security policy by its hash.
 */
export const startupScript = `try{var d=document.documentElement.dataset;var t=localStorage.getItem("theme");if(t==="light"||t==="dark")d.theme=t;if(localStorage.getItem("authToken")||localStorage.getItem("refreshToken"))d.session="stored";if(localStorage.getItem("waitlistEmail"))d.waitlist="stored"}catch(e){}`
