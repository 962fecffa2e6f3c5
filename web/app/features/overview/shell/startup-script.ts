/**
 * Inline script that runs before the first paint: applies the theme and marks stored sessions and
 * waitlist places, so that guest content doesn't flash. The content security policy allows it by
 * hash.
 */
export const startupScript = `try{var d=document.documentElement.dataset;var t=localStorage.getItem("theme");if(t==="light"||t==="dark")d.theme=t;if(localStorage.getItem("authToken")||localStorage.getItem("refreshToken"))d.session="stored";if(localStorage.getItem("waitlistEmail"))d.waitlist="stored"}catch(e){}`
